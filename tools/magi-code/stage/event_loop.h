// The one thread's event loop: timers, signals and work posted from callbacks.  Asio stays behind it.
#pragma once

#include <csignal>

#include <functional>
#include <initializer_list>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace magi::code {

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs callbacks until stop() is called from one of them.
  void run();
  // Runs callbacks until `done` returns true; it is asked after each one.
  void run_until(const std::function<bool()>& done);
  void stop();
  // Calls `work` from the loop, never from inside post().
  void post(std::function<void()> work);

  // Catches the signals for as long as the loop lives; a callback a delivery.
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> callback);

  // A one-shot timer; destroying or re-arming it cancels what was pending.
  class Timer {
   public:
    explicit Timer(EventLoop& loop);
    ~Timer();
    void start(int delay_ms, std::function<void()> callback);
    void cancel();

   private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
  };

  boost::asio::io_context& context();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::code
