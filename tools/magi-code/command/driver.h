// Drives runs from the outside: signals, the time limit, the last record and the exit status.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "tools/magi-code/command/assembly.h"
#include "tools/magi-code/command/interrupts.h"
#include "tools/magi-code/command/titler.h"
#include "tools/magi-code/loop/sink.h"

namespace magi::code {

class Driver {
 public:
  enum class Signals {
    kTaken,         // signals and the time limit end the run; Requires: as Interrupts
    kLeftToOthers,  // the caller sees to both
  };
  // `can_ask`: someone can answer approval requests.  Emits the session record.
  Driver(const Setting& setting, Assembly& assembly, Sink& sink, bool can_ask, Signals signals = Signals::kTaken);

  Run& run() { return run_; }
  const Run& run() const { return run_; }
  // Starts a run; `on_end` (may be empty) is called when it has ended.
  void start(UserPrompt prompt, std::function<void(const Outcome&)> on_end = {});
  // Compacts the session; `on_end` is called when it has ended.
  void compact(std::string instructions, std::function<void(const Outcome&)> on_end);
  // Runs the loop until `done`, which is asked after each callback, or until a signal has ended what ran.
  void loop_until(const std::function<bool()>& done);
  // After the last run: the last message's file, the result record, the tool host's end.  The exit status.
  Result<int> finish();

 private:
  void rearm();
  void on_signal(int signal);
  void on_deadline();

  const Setting& setting_;
  Assembly& assembly_;
  Sink& sink_;
  Run run_;
  Titler titler_;
  std::optional<Interrupts> interrupts_;
  Outcome outcome_;
  int ending_signal_ = 0;
};

// The command that goes on with the session of this run; empty where nothing of it was stored.
std::string resume_command(const Setting& setting, Assembly& assembly);

}  // namespace magi::code
