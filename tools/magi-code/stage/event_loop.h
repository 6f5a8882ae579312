// The one thread's event loop: timers and posted work.  Asio stays behind it.
#pragma once

#include <functional>
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

  // Runs callbacks until `done` returns true; it is asked after each one.
  void run_until(const std::function<bool()>& done);
  // Calls `work` from the loop, never from inside post().  May be called from any thread.
  void post(std::function<void()> work);

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
