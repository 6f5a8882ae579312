#include "tools/magi-tool/event_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/process/v2/process.hpp>  // process_handle.hpp does not stand alone

#include <algorithm>
#include <utility>

namespace magi::toolbox {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using boost::system::error_code;

struct EventLoop::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);

  struct Watch {
    asio::posix::stream_descriptor descriptor;
    std::function<bool()> handler;
  };
  void wait_readable(std::shared_ptr<Watch> watch) {
    auto& descriptor = watch->descriptor;
    descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                          [this, watch = std::move(watch)](const error_code& failed) mutable {
                            if (!failed && watch->handler()) wait_readable(std::move(watch));
                          });
  }
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::on_readable(int fd, std::function<bool()> handler) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return;
  error_code failed;
  asio::posix::stream_descriptor descriptor(impl_->context);
  descriptor.assign(copy, failed);
  if (failed) {
    ::close(copy);
    return;
  }
  impl_->wait_readable(std::make_shared<Impl::Watch>(Impl::Watch{std::move(descriptor), std::move(handler)}));
}

void EventLoop::on_exit(pid_t pid, std::function<void()> handler) {
  auto child = std::make_shared<process::process_handle>(impl_->context.get_executor(), pid);
  auto& waited = *child;
  waited.async_wait([child = std::move(child), handler = std::move(handler)](const error_code&, int) { handler(); });
}

void EventLoop::after(std::chrono::milliseconds delay, std::function<void()> handler) {
  auto timer = std::make_shared<asio::steady_timer>(impl_->context, delay);
  auto& waited = *timer;
  waited.async_wait([timer = std::move(timer), handler = std::move(handler)](const error_code& failed) {
    if (!failed) handler();
  });
}

bool EventLoop::run_until(const std::function<bool()>& done, std::optional<Clock::time_point> deadline) {
  while (!done()) {
    if (!deadline)
      impl_->context.run_one();
    else if (impl_->context.run_one_until(*deadline) == 0 && Clock::now() >= *deadline)
      return done();
  }
  return true;
}

bool EventLoop::tick_until(const std::function<bool()>& done, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds kTick{100};
  for (;;) {
    const Clock::time_point now = Clock::now();
    if (run_until(done, std::min(deadline, now + kTick))) return true;
    if (now >= deadline) return false;
  }
}

void EventLoop::run_ready() { impl_->context.poll(); }

}  // namespace magi::toolbox
