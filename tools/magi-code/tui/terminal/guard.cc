#include "tools/magi-code/tui/terminal/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace magi::code::tui::guard {
namespace {

// A terminal that takes nothing for so long is not waited for.
constexpr int kMostWaitMs = 300;

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kCrashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

struct Sequence {
  std::array<char, kMostSequenceBytes> bytes;
  std::size_t size = 0;

  void set(std::string_view text) {
    size = std::min(text.size(), bytes.size());
    std::memcpy(bytes.data(), text.data(), size);
  }
};

struct Saved {
  int signal = 0;
  struct sigaction action {};
};

// Handlers run on a stack of their own: the crash may be that the usual one is full.
constexpr std::size_t kStackBytes = 65'536;
alignas(16) char alternate_stack[kStackBytes];

struct State {
  Modes modes;
  Sequence enter, leave;
  std::atomic<bool> watched{false}, held{false}, wanted{false};
  std::atomic<bool> resized{false}, resumed{false};
  std::atomic<int> ending{0};
  Saved saved[std::size(kEnding) + std::size(kCrashes) + 3];
  std::size_t saved_count = 0;
};
State state;

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// The terminal's descriptor does not block: waits for room, not for ever.
void write_all(const Sequence& sequence) {
  for (std::size_t at = 0; at < sequence.size;) {
    const ssize_t n = ::write(state.modes.tty, sequence.bytes.data() + at, sequence.size - at);
    if (n > 0) {
      at += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      pollfd room{state.modes.tty, POLLOUT, 0};
      if (::poll(&room, 1, kMostWaitMs) <= 0) return;
    } else if (n < 0 && errno != EINTR) {
      return;
    }
  }
}

void notice() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(state.modes.notice_fd, &one, sizeof one);
}

// In the background the terminal is someone else's.
bool in_foreground() { return ::tcgetpgrp(state.modes.tty) == ::getpgrp(); }

void set_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

// While one lives no handler runs on this thread.
class Quiet {
 public:
  Quiet() {
    sigset_t all;
    sigfillset(&all);
    for (const int signal : kCrashes) sigdelset(&all, signal);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// As if there had been no handler.
void die_by(int signal) {
  set_default(signal);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

void resume() {
  if (state.wanted && in_foreground()) hold();
  state.resumed = true;
  notice();
}

void on_crash(int signal) {
  release();
  die_by(signal);
}

void on_ending(int signal) {
  const int saved_errno = errno;
  // Another program has the terminal: what is typed there is meant for it.
  if (!state.wanted && (signal == SIGINT || signal == SIGQUIT)) return;
  release();
  if (state.ending.exchange(signal) != 0) die_by(signal);
  notice();
  errno = saved_errno;
}

void on_window(int) {
  const int saved_errno = errno;
  state.resized = true;
  notice();
  errno = saved_errno;
}

void on_continue(int) {
  const int saved_errno = errno;
  // After a stop that could not be seen coming, the shell has set its own modes: set ours again.
  if (in_foreground()) state.held = false;
  if (state.wanted && !state.held) resume();
  errno = saved_errno;
}

void on_stop(int);

void install(int signal, void (*handler)(int), int flags = SA_RESTART) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags | SA_ONSTACK;
  ::sigaction(signal, &action, nullptr);
}

void on_stop(int signal) {
  const int saved_errno = errno;
  release();
  die_by(signal);  // stops here; a process that has no shell to continue it goes on at once
  install(SIGTSTP, on_stop);
  if (state.wanted && !state.held) resume();
  errno = saved_errno;
}

void replace(int signal, void (*handler)(int), int flags = SA_RESTART) {
  Saved& saved = state.saved[state.saved_count++];
  saved.signal = signal;
  ::sigaction(signal, nullptr, &saved.action);
  install(signal, handler, flags);
}

}  // namespace

bool watch(const Modes& modes) {
  if (state.watched.exchange(true)) return false;
  static const bool at_exit = std::atexit(release) == 0;
  (void)at_exit;
  state.modes = modes;
  state.ending = 0;
  state.resized = state.resumed = false;
  state.saved_count = 0;
  const stack_t stack{alternate_stack, 0, kStackBytes};
  stack_t current{};
  // A sanitizer may have set one.
  if (::sigaltstack(nullptr, &current) == 0 && (current.ss_flags & SS_DISABLE) != 0) ::sigaltstack(&stack, nullptr);
  for (const int signal : kEnding) replace(signal, on_ending);
  for (const int signal : kCrashes) replace(signal, on_crash, SA_NODEFER);
  replace(SIGTSTP, on_stop);
  replace(SIGCONT, on_continue);
  replace(SIGWINCH, on_window);
  return true;
}

void unwatch() {
  release();
  for (; state.saved_count > 0; --state.saved_count) {
    const Saved& saved = state.saved[state.saved_count - 1];
    ::sigaction(saved.signal, &saved.action, nullptr);
  }
  state.watched = false;
}

void set_sequences(std::string_view enter, std::string_view leave) {
  const Quiet quiet;
  state.enter.set(enter);
  state.leave.set(leave);
}

void hold() {
  const Quiet quiet;
  if (state.held.exchange(true)) return;
  ::tcsetattr(state.modes.tty, TCSANOW, &state.modes.raw);
  write_all(state.enter);
}

void release() {
  const Quiet quiet;
  if (!state.held.exchange(false)) return;
  write_all(state.leave);
  // What the terminal has answered and nobody has read would be typed into the shell.
  ::tcflush(state.modes.tty, TCIFLUSH);
  ::tcsetattr(state.modes.tty, TCSANOW, &state.modes.cooked);
}

bool is_held() { return state.held; }

ssize_t write(std::string_view bytes) {
  const Quiet quiet;
  if (!state.held) return errno = EPIPE, -1;
  return ::write(state.modes.tty, bytes.data(), bytes.size());
}

void want(bool wanted) { state.wanted = wanted; }

Happened take() {
  Happened happened;
  happened.resized = state.resized.exchange(false);
  happened.resumed = state.resumed.exchange(false);
  happened.ending = state.ending;
  return happened;
}

}  // namespace magi::code::tui::guard
