// Drives runs from the outside: signals, the time limit, the last record and the exit status.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <optional>

#include "tools/magi-code/command/assembly.h"
#include "tools/magi-code/front/sink.h"

namespace magi::code {

class Driver {
 public:
  // `can_ask`: someone can answer approval requests.  Emits the session record.
  Driver(const Setting& setting, Assembly& assembly, Sink& sink, bool can_ask);

  Run& run() { return run_; }
  const Run& run() const { return run_; }
  // Starts a run; `on_end` (may be empty) is called when it has ended.
  void start(UserPrompt prompt, std::function<void(const Outcome&)> on_end = {});
  // Runs the loop until `done`, which is asked after each callback, or a second interrupt ends the process.
  void loop_until(const std::function<bool()>& done);
  // After the last run: the last message's file, the result record, the tool host's end.  The exit status.
  Result<int> finish();

 private:
  void on_signal(int signal);

  const Setting& setting_;
  Assembly& assembly_;
  Sink& sink_;
  Run run_;
  EventLoop::Timer deadline_;
  Outcome outcome_;
  bool interrupted_ = false;
  int ending_signal_ = 0;
};

// Prints the result record of a run that could not begin (--json), and gives the error back.
Error failed_before_run(Sink& sink, Error error);

}  // namespace magi::code
