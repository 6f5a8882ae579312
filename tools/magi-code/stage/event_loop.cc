#include "tools/magi-code/stage/event_loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace magi::code {
namespace asio = boost::asio;

struct EventLoop::Impl {
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::run_until(const std::function<bool()>& done) {
  impl_->context.restart();
  while (!done() && impl_->context.run_one() > 0) {
  }
}

void EventLoop::post(std::function<void()> work) { asio::post(impl_->context, std::move(work)); }

asio::io_context& EventLoop::context() { return impl_->context; }

struct EventLoop::Timer::Impl {
  explicit Impl(asio::io_context& context) : timer(context) {}
  asio::steady_timer timer;
  unsigned generation = 0;  // tells a cancelled wait that had already been queued from the present one
};

EventLoop::Timer::Timer(EventLoop& loop) : impl_(std::make_shared<Impl>(loop.context())) {}
EventLoop::Timer::~Timer() { cancel(); }

void EventLoop::Timer::start(int delay_ms, std::function<void()> callback) {
  const unsigned generation = ++impl_->generation;
  impl_->timer.expires_after(std::chrono::milliseconds(delay_ms));
  impl_->timer.async_wait(
      [weak = std::weak_ptr(impl_), generation, callback = std::move(callback)](boost::system::error_code error) {
        const auto impl = weak.lock();
        if (!error && impl && impl->generation == generation) callback();
      });
}

void EventLoop::Timer::cancel() {
  ++impl_->generation;
  impl_->timer.cancel();
}

}  // namespace magi::code
