// What a result says of a command: its progress while it runs, and how it ended.
#pragma once

#include <chrono>
#include <string>

#include "tools/magi-tool/call.h"
#include "tools/magi-tool/shell_run.h"

namespace magi::toolbox {

// Hands new output to the call as it comes: whole lines, not more often than a person can read.
class Progress {
 public:
  Progress(Call& call, ShellRun& run);
  ~Progress() { run_.on_output({}); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sends what has come, when it is time.
  void send();

 private:
  Call& call_;
  ShellRun& run_;
  std::string waiting_;
  std::chrono::steady_clock::time_point next_;
};

std::string signal_name(int signal);  // "SIGTERM"

// Exit status or signal, the ends of both streams, and a remark where the model would not see from the output how the
// command ended.  Status `error` unless it exited with 0.
void describe_end(const ShellRun& run, Details& details, Outcome& outcome);

}  // namespace magi::toolbox
