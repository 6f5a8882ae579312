// The event loop of the process: descriptors, child processes and time.  Asio and Boost.Process live in its source
// only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace magi::toolbox {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Calls `handler` whenever `fd` is readable or at its end, until it returns false.  Works on a copy of the
  // descriptor; the open file becomes non-blocking.  Requires: a pipe, socket, terminal or event descriptor.
  void on_readable(int fd, std::function<bool()> handler);

  // Takes over a child: waits for it and calls `handler` once it is reaped.  The end of the loop does not end the
  // child.
  void on_exit(pid_t pid, std::function<void()> handler);

  void after(std::chrono::milliseconds delay, std::function<void()> handler);

  // Runs handlers until `done` holds, asked after each; false at the deadline.
  bool run_until(const std::function<bool()>& done, std::optional<Clock::time_point> deadline = std::nullopt);
  // The same, and asks at least ten times a second: for a `done` that depends on more than the loop's handlers.
  bool tick_until(const std::function<bool()>& done, Clock::time_point deadline);

  // Runs what is ready, without waiting.
  void run_ready();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::toolbox
