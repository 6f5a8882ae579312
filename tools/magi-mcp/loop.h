// The one thread's loop: descriptors, timers, and what libcurl waits for.  Handlers may add and remove both; one that
// is removed is not called any more.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>

namespace magi::mcp {

class Loop {
 public:
  using Token = int;
  Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // `handler` gets the returned events of poll(2).  The descriptor stays the caller's.
  Token watch(int fd, short events, std::function<void(short)> handler);
  void set_events(Token token, short events);
  void unwatch(Token token);

  Token after(std::int64_t delay_ms, std::function<void()> handler);
  void cancel(Token timer);

  // Who waits in place of poll(2), for descriptors of its own too, and does its work when it has waited.
  struct Waiter {
    std::function<void(std::span<pollfd> fds, int timeout_ms)> wait;  // fills `revents`
    std::function<void()> work;
  };
  void set_waiter(Waiter waiter) { waiter_ = std::move(waiter); }

  // Runs handlers until `done` holds, asked after each round; false after `limit_ms`.
  bool run_until(const std::function<bool()>& done, std::int64_t limit_ms);
  void run_until(const std::function<bool()>& done);

 private:
  struct Watch {
    int fd;
    short events;
    std::function<void(short)> handler;
  };
  struct Timer {
    std::int64_t at_ns;
    std::function<void()> handler;
  };
  void step(std::int64_t most_ms);
  void run_timers();

  std::map<Token, Watch> watches_;
  std::map<Token, Timer> timers_;
  Waiter waiter_;
  Token last_ = 0;
};

}  // namespace magi::mcp
