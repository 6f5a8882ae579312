// run_main, Stdout and report, each in a child process where descriptors and signals matter.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <string>

#include "libcommon/tool/report.h"
#include "libcommon/tool/run_main.h"
#include "libcommon/tool/stdout.h"

namespace magi::tool {
namespace {

// The wait status of a child that runs `body` through run_main after `prepare`, and its stderr.
template <class Prepare>
int run_in_child(Prepare prepare, Body body, std::string* err = nullptr) {
  int pipe_fds[2];
  EXPECT_EQ(pipe(pipe_fds), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_fds[1], 2);
    prepare();
    char name[] = "magi-x";
    char* argv[] = {name, nullptr};
    char* envp[] = {nullptr};
    _exit(run_main("magi-x", 1, argv, envp, body));
  }
  close(pipe_fds[1]);
  std::string text;
  char buffer[512];
  for (ssize_t got; (got = read(pipe_fds[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(pipe_fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (err) *err = text;
  return status;
}

Result<int> exit_with_first_free_fd(Invocation&) { return open("/dev/null", O_RDONLY); }
Result<int> write_hello(Invocation&) {
  Stdout out;
  MAGI_CHECK(out.write("hello\n"));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

TEST(RunMainTest, CLI_05_NoFileLandsOnAStandardDescriptor) {
  for (const int closed : {0, 1, 2}) {
    const int status = run_in_child([&] { close(closed); }, exit_with_first_free_fd);
    EXPECT_GE(WEXITSTATUS(status), 3) << closed;
  }
}

TEST(RunMainTest, CLI_05_AClosedStdoutIsAnError) {
  std::string err;
  const int status = run_in_child([] { close(1); }, write_hello, &err);
  EXPECT_EQ(WEXITSTATUS(status), kExitFailed);
  EXPECT_EQ(err, "magi-x: cannot write standard output: Bad file descriptor\n");
}

TEST(RunMainTest, AFilterDiesQuietlyWhenItsReaderIsGone) {
  std::string err;
  const auto prepare = [] {
    int fds[2];
    if (pipe(fds) != 0) _exit(99);
    dup2(fds[1], 1);
    close(fds[0]);
    signal(SIGPIPE, SIG_IGN);  // inherited from a careless parent
  };
  const int status = run_in_child(prepare, write_hello, &err);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
  EXPECT_EQ(err, "");
}

TEST(RunMainTest, ErrorsAndExceptionsBecomeOneLine) {
  std::string err;
  const auto nothing = [] {};
  EXPECT_EQ(WEXITSTATUS(run_in_child(
                nothing, [](Invocation&) -> Result<int> { throw std::bad_alloc(); }, &err)),
            1);
  EXPECT_EQ(err, "magi-x: out of memory\n");
  EXPECT_EQ(WEXITSTATUS(run_in_child(
                nothing, [](Invocation&) -> Result<int> { throw std::runtime_error("odd"); }, &err)),
            1);
  EXPECT_EQ(err, "magi-x: odd\n");
  EXPECT_EQ(WEXITSTATUS(run_in_child(
                nothing, [](Invocation&) -> Result<int> { throw 7; }, &err)),
            1);
  EXPECT_EQ(err, "magi-x: unknown failure\n");
  const auto busy = [](Invocation&) -> Result<int> { return Error{ErrorCode::kBusy, "session 'a': busy"}; };
  EXPECT_EQ(WEXITSTATUS(run_in_child(nothing, busy, &err)), 3);
  EXPECT_EQ(err, "magi-x: session 'a': busy\n");
}

TEST(ReportTest, HostileTextCannotReachTheTerminal) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(report("magi-x", Error{ErrorCode::kUsage, "a\x1b[2J\r\x7f\nadvice\tß"}), kExitUsage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "magi-x: a\\x1b[2J\\x0d\\x7f\nadvice\\x09ß\n");
}

TEST(StdoutTest, GathersUntilToldOrFull) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  fcntl(fds[0], F_SETFL, O_NONBLOCK);
  Stdout out(ReaderGone::kReport, fds[1]);
  char byte;
  ASSERT_TRUE(out.write("waiting"));
  EXPECT_EQ(read(fds[0], &byte, 1), -1);
  ASSERT_TRUE(out.flush());
  EXPECT_EQ(read(fds[0], &byte, 1), 1);
  close(fds[0]);
  signal(SIGPIPE, SIG_IGN);
  out.buffer() += "x";
  EXPECT_FALSE(out.flush());
  EXPECT_TRUE(out.reader_is_gone());
  close(fds[1]);
}

TEST(StdoutTest, AFullDiskIsAnError) {
  const int full = open("/dev/full", O_WRONLY);
  Stdout out(ReaderGone::kDie, full);
  const auto written = (out.buffer() += "x", out.flush());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what, "cannot write standard output: No space left on device");
  close(full);
}

}  // namespace
}  // namespace magi::tool
