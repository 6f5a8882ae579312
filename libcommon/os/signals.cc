#include "libcommon/os/signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace magi::os {
namespace {

constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> first_received{0};
std::atomic<int> event_fd{-1};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void on_stop(int signal) {
  const int saved = errno;
  int none = 0;
  first_received.compare_exchange_strong(none, signal);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_fd.load(), &one, sizeof one);
  errno = saved;
}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void ignore_sigpipe() { set_handler(SIGPIPE, SIG_IGN); }

void default_sigpipe() { set_handler(SIGPIPE, SIG_DFL); }

Result<StopSignals> StopSignals::catch_signals() {
  Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return errno_error("cannot watch for signals", errno);
  first_received = 0;
  event_fd = event.get();
  for (int signal : kStopSignals) set_handler(signal, &on_stop);
  return StopSignals(std::move(event));
}

StopSignals::~StopSignals() {
  if (!event_) return;
  for (int signal : kStopSignals) set_handler(signal, SIG_DFL);
  event_fd = -1;
}

int StopSignals::received() const { return first_received; }

}  // namespace magi::os
