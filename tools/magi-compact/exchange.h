// One child process that is given its whole input and answers in lines.  Both directions are polled, so that neither
// side can block the other.  A stop signal ends it, and so does the end of the caller where there is one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/signals.h"

namespace magi::compact {

// Whether the work should go on: no stop signal has come, and the caller is alive.
class Watch {
 public:
  // Catches stop signals.  `has_caller`: standard input is a pipe that the caller holds open while it lives.
  static Result<Watch> begin(bool has_caller);

  bool go_on() const;
  // kCancelled, naming why.  Requires: !go_on().
  Error why() const;
  // The exit status of an interrupted program; 0 where no signal has come.
  int exit_status() const;

  // For poll(): readable (or hung up) once go_on() may be false; -1: none.
  int signal_fd() const { return signals_.fd(); }
  int caller_fd() const { return has_caller_ ? 0 : -1; }

 private:
  Watch(os::StopSignals signals, bool has_caller) : signals_(std::move(signals)), has_caller_(has_caller) {}
  os::StopSignals signals_;
  bool has_caller_;
};

struct Program {
  std::string path;
  std::vector<std::string> args, env;
};

// Runs the program to its end.  `on_line` gets each line of its output without LF, with json::kPadding readable bytes
// behind it; an error that it returns ends the child and is returned.  What the child says on its standard error goes
// to ours, but for the last line, which becomes the text of the error where the child fails (kUpstream, or kConfig
// where it exits 2).
Result<void> run_program(const Program& program, std::string_view input, const Watch& watch,
                         const std::function<Result<void>(std::string_view)>& on_line,
                         const std::function<void(std::string_view)>& on_notice);

}  // namespace magi::compact
