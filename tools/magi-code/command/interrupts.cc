#include "tools/magi-code/command/interrupts.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "libcommon/base/clock.h"
#include "libcommon/base/error.h"

namespace magi::code {
namespace {

constexpr std::int64_t kStuckNs = 2'000'000'000;

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

timespec span(std::int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

struct Interrupts::Shared {
  std::mutex mutex;
  EventLoop* loop;  // null once the owner is gone
  std::function<void(int)> on_signal;
  std::function<void()> on_deadline;
  std::atomic<bool> armed{true};  // no signal has come since the last turn began
  std::atomic<bool> taken{true};  // the loop has run what was posted last
  std::int64_t deadline_ns = 0;   // monotonic; 0: none

  void post(const std::shared_ptr<Shared>& self, std::function<void(Shared&)> call) {
    std::lock_guard guard(mutex);
    if (!loop) return;
    taken = false;
    loop->post([self, call = std::move(call)] {
      self->taken = true;
      call(*self);
    });
  }

  // Waits for the next signal, at most until `until_ns`; 0 when the time came first.
  static int wait(std::int64_t until_ns) {
    const sigset_t set = ending_signals();
    const std::int64_t left = until_ns - monotonic_ns();
    const timespec limit = span(left > 0 ? left : 0);
    const int signal = until_ns > 0 ? sigtimedwait(&set, nullptr, &limit) : sigwaitinfo(&set, nullptr);
    return signal > 0 ? signal : 0;
  }

  void run(const std::shared_ptr<Shared>& self) {
    int status = kExitInterrupted;
    std::int64_t stuck_ns = 0;
    while (true) {
      const bool waits_for_loop = !taken;
      const int signal = wait(waits_for_loop ? stuck_ns : deadline_ns);
      const std::int64_t now = monotonic_ns();
      if (signal != 0) {
        status = 128 + signal;
        if (!armed.exchange(false)) _exit(status);
        post(self, [signal](Shared& shared) { shared.on_signal(signal); });
        stuck_ns = now + kStuckNs;
      } else if (waits_for_loop && now >= stuck_ns && !taken) {
        _exit(status);
      } else if (deadline_ns > 0 && now >= deadline_ns) {
        deadline_ns = 0;
        status = kExitLimit;
        post(self, [](Shared& shared) { shared.on_deadline(); });
        stuck_ns = now + kStuckNs;
      }
    }
  }
};

Interrupts::Interrupts(EventLoop& loop, int timeout_s, std::function<void(int)> on_signal,
                       std::function<void()> on_deadline)
    : shared_(std::make_shared<Shared>()) {
  shared_->loop = &loop;
  shared_->on_signal = std::move(on_signal);
  shared_->on_deadline = std::move(on_deadline);
  if (timeout_s > 0) shared_->deadline_ns = monotonic_ns() + std::int64_t{timeout_s} * 1'000'000'000;
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([shared = shared_] { shared->run(shared); }).detach();
}

Interrupts::~Interrupts() {
  std::lock_guard guard(shared_->mutex);
  shared_->loop = nullptr;
}

void Interrupts::rearm() { shared_->armed = true; }

}  // namespace magi::code
