// The terminal is given back on every way out.  Children of this test die in a pseudo-terminal of their own; what they
// wrote and what modes they left is compared.
#include "tools/magi-code/tui/terminal/tty.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "libcommon/os/fd.h"

namespace magi::code::tui {
namespace {

constexpr int kPatienceMs = 20'000;

Capabilities capabilities() { return known_capabilities({"xterm-256color", {}, {}, {}, false}); }

bool same_modes(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag && a.c_lflag == b.c_lflag &&
         std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

struct Pair {
  os::Fd master, slave;
};
Pair make_pair_of_terminals() {
  int master = -1, slave = -1;
  if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) ::abort();
  return {os::Fd(master), os::Fd(slave)};
}

// What arrives at the master until `end` is part of it, or nothing comes any more.
std::string read_until(int master, const std::string& end) {
  std::string all;
  while (end.empty() || all.find(end) == std::string::npos) {
    pollfd ready{master, POLLIN, 0};
    if (::poll(&ready, 1, kPatienceMs) <= 0) break;
    char bytes[4096];
    const ssize_t n = ::read(master, bytes, sizeof bytes);
    if (n <= 0) break;
    all.append(bytes, static_cast<std::size_t>(n));
  }
  return all;
}

struct Outcome {
  std::string output;
  termios before{}, after{};
  int status = 0;
};

// Runs `body` in a child whose terminal is a new one; once it has written "ready", `act` may do something to it.
Outcome run_in_terminal(const std::function<void()>& body, const std::function<void(pid_t)>& act) {
  Pair pair = make_pair_of_terminals();
  Outcome outcome;
  ::tcgetattr(pair.slave.get(), &outcome.before);
  ::fflush(nullptr);  // what stands in the buffers of this process is not the child's to write
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    ::ioctl(pair.slave.get(), TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; ++fd) ::dup2(pair.slave.get(), fd);
    pair = {};
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    body();
    ::_exit(0);
  }
  outcome.output = read_until(pair.master.get(), "ready");
  act(child);
  int ended = 0;
  while (ended == 0) {
    pollfd ready{pair.master.get(), POLLIN, 0};
    ::poll(&ready, 1, 20);
    if ((ready.revents & POLLIN) != 0) {
      char bytes[4096];
      const ssize_t n = ::read(pair.master.get(), bytes, sizeof bytes);
      if (n > 0) outcome.output.append(bytes, static_cast<std::size_t>(n));
    }
    ended = ::waitpid(child, &outcome.status, WNOHANG);
  }
  ::fcntl(pair.master.get(), F_SETFL, O_NONBLOCK);
  char bytes[4096];
  for (ssize_t n = 0; (n = ::read(pair.master.get(), bytes, sizeof bytes)) > 0;) {
    outcome.output.append(bytes, static_cast<std::size_t>(n));
  }
  ::tcgetattr(pair.slave.get(), &outcome.after);
  return outcome;
}

std::unique_ptr<Tty> open_tty() {
  auto tty = Tty::open(0, 1, capabilities(), true);
  if (!tty) ::_exit(99);
  return std::move(*tty);
}

void say_ready(Tty& tty) { tty.write("ready"); }

// The loop of an interface: ends where a signal says so.
void serve(Tty& tty) {
  say_ready(tty);
  for (;;) {
    pollfd ready{tty.notice_fd(), POLLIN, 0};
    ::poll(&ready, 1, -1);
    if (tty.take_notices().ending != 0) return;
  }
}

void expect_restored(const Outcome& outcome) {
  EXPECT_TRUE(same_modes(outcome.before, outcome.after));
  const std::string leave = leave_sequence(capabilities());
  const std::size_t ready = outcome.output.find("ready");
  ASSERT_NE(ready, std::string::npos);
  EXPECT_EQ(outcome.output.find(leave, ready), outcome.output.size() - leave.size())
      << testing::PrintToString(outcome.output);
}

class RestoreAfter : public testing::TestWithParam<int> {};

TEST_P(RestoreAfter, Tui01TheTerminalIsAsItWas) {
  const int signal = GetParam();
  const Outcome outcome = run_in_terminal(
      [] {
        const auto tty = open_tty();
        serve(*tty);
      },
      [&](pid_t child) { ::kill(child, signal); });
  expect_restored(outcome);
}

INSTANTIATE_TEST_SUITE_P(Signals, RestoreAfter,
                         testing::Values(SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL));

TEST(Tty, Tui01ASecondSignalEndsAProgramThatDoesNotListen) {
  const Outcome outcome = run_in_terminal(
      [] {
        const auto tty = open_tty();
        say_ready(*tty);
        for (;;) ::pause();
      },
      [](pid_t child) {
        ::kill(child, SIGINT);
        // Two signals of one kind become one while the first is pending.
        for (int i = 0; i < 200 && ::kill(child, 0) == 0; ++i) {
          ::usleep(10'000);
          ::kill(child, SIGINT);
          if (siginfo_t info{};
              ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
            break;
        }
      });
  expect_restored(outcome);
  EXPECT_TRUE(WIFSIGNALED(outcome.status));
  EXPECT_EQ(WTERMSIG(outcome.status), SIGINT);
}

TEST(Tty, CrashesEndAsCrashes) {
  const Outcome outcome = run_in_terminal(
      [] {
        const auto tty = open_tty();
        say_ready(*tty);
        ::signal(SIGALRM, SIG_DFL);
        ::raise(SIGSEGV);
      },
      [](pid_t) {});
  expect_restored(outcome);
  EXPECT_TRUE(WIFSIGNALED(outcome.status) || WEXITSTATUS(outcome.status) != 0);
}

TEST(Tty, AFullStackIsNoObstacle) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer has handlers of its own";
#endif
  const Outcome outcome = run_in_terminal(
      [] {
        const auto tty = open_tty();
        say_ready(*tty);
        const std::function<int(int)> deeper = [&](int n) -> int {
          volatile char space[4096];
          space[0] = static_cast<char>(n);
          return n < 0 ? 0 : deeper(n + 1) + space[0];
        };
        ::_exit(deeper(1));
      },
      [](pid_t) {});
  expect_restored(outcome);
  EXPECT_TRUE(WIFSIGNALED(outcome.status));
}

TEST(Tty, ExceptionsAndExitsRestoreToo) {
  const Outcome exception = run_in_terminal(
      [] {
        const auto tty = open_tty();
        say_ready(*tty);
        try {
          std::unique_ptr<int> held;
          throw std::runtime_error("x");
        } catch (const std::runtime_error&) {
          std::terminate();
        }
      },
      [](pid_t) {});
  expect_restored(exception);
  const Outcome exited = run_in_terminal(
      [] {
        const auto tty = open_tty();
        say_ready(*tty);
        ::exit(3);
      },
      [](pid_t) {});
  expect_restored(exited);
  EXPECT_EQ(WEXITSTATUS(exited.status), 3);
}

TEST(Tty, NothingIsWrittenOnceItIsRestored) {
  const Outcome outcome = run_in_terminal(
      [] {
        const auto tty = open_tty();
        serve(*tty);
        tty->write("a frame that comes too late");
      },
      [](pid_t child) { ::kill(child, SIGTERM); });
  expect_restored(outcome);
}

TEST(Tty, WithoutAJobControlledShellSuspendingGoesOnAtOnce) {
  const Outcome outcome = run_in_terminal(
      [] {
        const auto tty = open_tty();
        tty->suspend();
        const Tty::Notices notices = tty->take_notices();
        tty->write(notices.resumed ? "resumed ready" : "not resumed ready");
      },
      [](pid_t) {});
  EXPECT_NE(outcome.output.find("resumed ready"), std::string::npos);
  EXPECT_EQ(outcome.output.find("not resumed"), std::string::npos);
  EXPECT_TRUE(same_modes(outcome.before, outcome.after));
}

// The child is a shell with one job.
TEST(Tty, SuspendingGivesTheTerminalToTheShellAndTakesItBack) {
  const Outcome outcome = run_in_terminal(
      [] {
        ::signal(SIGTTOU, SIG_IGN);
        termios cooked{}, now{};
        ::tcgetattr(0, &cooked);
        const pid_t job = ::fork();
        if (job == 0) {
          ::setpgid(0, 0);
          ::tcsetpgrp(0, ::getpid());
          ::signal(SIGTTOU, SIG_DFL);
          const auto tty = open_tty();
          tty->suspend();
          const bool resumed = tty->take_notices().resumed;
          termios raw{};
          ::tcgetattr(0, &raw);
          tty->write(resumed && (raw.c_lflag & ICANON) == 0 ? "back " : "lost ");
          ::_exit(7);  // leaves the modes to the shell
        }
        int status = 0;
        ::waitpid(job, &status, WUNTRACED);
        ::tcgetattr(0, &now);
        ::tcsetpgrp(0, ::getpid());
        std::string report = WIFSTOPPED(status) ? "stopped " : "not-stopped ";
        report += same_modes(cooked, now) ? "cooked " : "raw ";
        (void)!::write(1, report.data(), report.size());
        ::tcsetpgrp(0, job);
        ::kill(-job, SIGCONT);
        ::waitpid(job, &status, 0);
        ::tcsetpgrp(0, ::getpid());
        ::tcsetattr(0, TCSANOW, &cooked);
        (void)!::write(1, "ready", 5);
      },
      [](pid_t) {});
  EXPECT_NE(outcome.output.find("stopped cooked "), std::string::npos) << testing::PrintToString(outcome.output);
  EXPECT_EQ(outcome.output.find("not-stopped"), std::string::npos);
  EXPECT_NE(outcome.output.find("back "), std::string::npos);
}

TEST(Tty, ReleasingLetsAnotherProgramHaveTheTerminal) {
  const Pair pair = make_pair_of_terminals();
  termios before{}, during{}, after{};
  ::tcgetattr(pair.slave.get(), &before);
  auto opened = Tty::open(pair.slave.get(), pair.slave.get(), capabilities(), false);
  ASSERT_TRUE(opened);
  Tty& tty = **opened;
  tty.release();
  ::tcgetattr(pair.slave.get(), &during);
  EXPECT_TRUE(same_modes(before, during));
  ::raise(SIGINT);  // typed in the other program
  EXPECT_EQ(tty.take_notices().ending, 0);
  tty.acquire();
  ::tcgetattr(pair.slave.get(), &during);
  EXPECT_FALSE(same_modes(before, during));
  opened->reset();
  ::tcgetattr(pair.slave.get(), &after);
  EXPECT_TRUE(same_modes(before, after));
}

TEST(Tty, ASlowTerminalDoesNotHoldTheProgram) {
  const Pair pair = make_pair_of_terminals();
  auto opened = Tty::open(pair.slave.get(), pair.slave.get(), capabilities(), false);
  ASSERT_TRUE(opened);
  Tty& tty = **opened;
  const std::string frame(300'000, 'x');
  tty.write(frame);
  EXPECT_TRUE(tty.wants_write());
  std::string got;
  ::fcntl(pair.master.get(), F_SETFL, O_NONBLOCK);
  for (int i = 0; i < 100'000 && got.size() < frame.size(); ++i) {
    char bytes[8192];
    const ssize_t n = ::read(pair.master.get(), bytes, sizeof bytes);
    if (n > 0) got.append(bytes, static_cast<std::size_t>(n));
    tty.write_more();
  }
  EXPECT_FALSE(tty.wants_write());
  EXPECT_NE(got.find(frame), std::string::npos);
}

TEST(Tty, ReadsWithoutBlockingAndSaysWhenTheTerminalIsGone) {
  Pair pair = make_pair_of_terminals();
  auto opened = Tty::open(pair.slave.get(), pair.slave.get(), capabilities(), false);
  ASSERT_TRUE(opened);
  Tty& tty = **opened;
  auto nothing = tty.read();
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, "");
  ASSERT_EQ(::write(pair.master.get(), "\033[A", 3), 3);
  pollfd ready{tty.fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, kPatienceMs), 1);
  auto some = tty.read();
  ASSERT_TRUE(some);
  EXPECT_EQ(*some, "\033[A");
  winsize size{50, 200, 0, 0};
  ::ioctl(pair.master.get(), TIOCSWINSZ, &size);
  EXPECT_EQ(tty.size().columns, 200);
  EXPECT_EQ(tty.size().rows, 50);
  pair.slave.reset();
  pair.master.reset();
  EXPECT_FALSE(tty.read());
}

TEST(Tty, Tui13WithoutATerminalNothingIsOpened) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const os::Fd read_end(ends[0]), write_end(ends[1]);
  auto opened = Tty::open(read_end.get(), write_end.get(), capabilities(), false);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace magi::code::tui
