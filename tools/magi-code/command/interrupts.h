// Signals and the time limit of a process that may at any moment be blocked on a reader that does not read: a thread of
// its own takes them, asks the event loop to end the run, and ends the process where the loop cannot.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "tools/magi-code/stage/event_loop.h"

namespace magi::code {

class Interrupts {
 public:
  // `on_signal` and `on_deadline` are called from the loop.  `timeout_s` 0: no limit.  A second signal, or none of
  // these calls being taken within two seconds, ends the process: by 128 + signal, or kExitLimit for the deadline.
  // Requires: no other thread of the process has been started.
  Interrupts(EventLoop& loop, int timeout_s, std::function<void(int)> on_signal, std::function<void()> on_deadline);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // A new turn begins: the next signal is a first one again.
  void rearm();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace magi::code
