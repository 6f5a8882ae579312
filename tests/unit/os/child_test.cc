#include "libcommon/os/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "libcommon/base/clock.h"
#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "tests/unit/scratch.h"

namespace magi::os {
namespace {

SpawnOptions shell(const std::string& script) {
  SpawnOptions options;
  options.program = "/bin/sh";
  options.args = {"-c", script};
  options.env = {"PATH=/usr/bin:/bin", "GREETING=hello there"};
  return options;
}

// What it printed; its exit code behind that.
std::string output_of(SpawnOptions options) {
  auto pipe = make_pipe();
  options.stdout_fd = pipe->write.get();
  auto child = spawn(options);
  if (!child) return child.error().what;
  pipe->write.reset();
  std::string text = read_all(pipe->read.get(), 1'000'000).value_or("");
  return text + "[" + std::to_string(exit_code_of(*child->wait())) + "]";
}

TEST(Spawn, PassesArgumentsEnvironmentAndFolder) {
  const test::Scratch scratch;
  SpawnOptions options = shell("printf '%s|%s|%s|' \"$1\" \"$GREETING\" \"$HOME\"; pwd -P; exit 7");
  options.args.insert(options.args.end(), {"zero", "a b\nc"});
  options.cwd = scratch.path();
  EXPECT_EQ(output_of(options), "a b\nc|hello there||" + std::filesystem::canonical(scratch.path()).string() + "\n[7]");
}

TEST(Spawn, SaysWhatIsMissing) {
  SpawnOptions options = shell("true");
  options.cwd = "/nonexistent-folder";
  EXPECT_EQ(spawn(options).error().what, "working directory '/nonexistent-folder': No such file or directory");
  options.cwd = "/bin/sh";
  EXPECT_EQ(spawn(options).error().what, "working directory '/bin/sh': not a directory");
  options.cwd = "/";
  options.program = "/nonexistent-program";
  EXPECT_EQ(spawn(options).error().what, "cannot start '/nonexistent-program': No such file or directory");
  options.program = "/etc/passwd";
  EXPECT_EQ(spawn(options).error().what, "cannot start '/etc/passwd': Permission denied");
}

TEST(Spawn, GivesNoDescriptorButThoseAsked) {
  auto pipe = make_pipe();
  const int leaking = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  SpawnOptions options = shell("ls /proc/self/fd; [ -t 0 ] || cat; readlink /proc/self/fd/0");
  // ls itself opens one for the folder.
  EXPECT_EQ(output_of(options), "0\n1\n2\n3\n/dev/null\n[0]");
  options.extra_fds = {{pipe->read.get(), 5}};
  EXPECT_EQ(output_of(options), "0\n1\n2\n3\n5\n/dev/null\n[0]");
  ::close(leaking);
}

TEST(Spawn, MapsDescriptorsThatStandInEachOthersWay) {
  const test::Scratch scratch;
  test::spill(scratch / "a", "A");
  test::spill(scratch / "b", "B");
  const Fd a(::open((scratch / "a").c_str(), O_RDONLY | O_CLOEXEC)),
      b(::open((scratch / "b").c_str(), O_RDONLY | O_CLOEXEC));
  // Swapped: each number is the source of the other.
  SpawnOptions options = shell("cat <&" + std::to_string(a.get()) + "; cat <&" + std::to_string(b.get()));
  options.extra_fds = {{a.get(), b.get()}, {b.get(), a.get()}};
  EXPECT_EQ(output_of(options), "BA[0]");
  SpawnOptions same = shell("cat <&" + std::to_string(a.get()));
  same.extra_fds = {{a.get(), a.get()}};
  ::lseek(a.get(), 0, SEEK_SET);
  EXPECT_EQ(output_of(same), "A[0]") << "close-on-exec must not survive a mapping to itself";
}

TEST(Spawn, SignalsAreDefaultAndNothingIsBlocked) {
  ignore_sigpipe();
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  EXPECT_EQ(output_of(shell("kill -PIPE $$; echo survived")), "[141]");
  EXPECT_EQ(output_of(shell("kill -TERM $$; echo survived")), "[143]");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  default_sigpipe();
}

bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

TEST(Child, DestructionKillsTheGroupAndReaps) {
  auto pipe = make_pipe();
  pid_t pid = 0;
  {
    SpawnOptions options = shell("sleep 1000 & echo ready; trap '' TERM; wait");
    options.new_group = true;
    options.stdout_fd = pipe->write.get();
    auto child = spawn(options);
    ASSERT_TRUE(child);
    pipe->write.reset();
    pid = child->pid();
    EXPECT_EQ(::getpgid(pid), pid);
    char ready[6];
    ASSERT_EQ(*read_some(pipe->read.get(), ready, sizeof ready), 6u);
  }
  EXPECT_TRUE(is_gone(pid));
  // The grandchild held the pipe: its end shows that it died too.
  EXPECT_EQ(*read_all(pipe->read.get(), 100), "");
}

TEST(Child, WaitsWithATimeLimit) {
  auto child = spawn(shell("exec sleep 1000"));
  ASSERT_TRUE(child);
  const auto still = child->wait_for(20);
  ASSERT_TRUE(still);
  EXPECT_FALSE(*still);
  EXPECT_TRUE(child->kill(SIGINT));
  const auto ended = child->wait_for(10'000);
  ASSERT_TRUE(ended && *ended);
  EXPECT_EQ(exit_code_of(**ended), 130);
  EXPECT_FALSE(*child);
  EXPECT_TRUE(child->kill(SIGTERM)) << "one that has ended is no error";
  EXPECT_FALSE(child->wait());
}

TEST(Child, ReleaseLeavesItAlone) {
  pid_t pid = 0;
  {
    auto child = spawn(shell("exit 3"));
    ASSERT_TRUE(child);
    pid = child->release();
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(exit_code_of(status), 3);
}

TEST(FindExecutable, SearchesAbsoluteFoldersInOrder) {
  const test::Scratch scratch;
  std::filesystem::create_directory(scratch / "one");
  std::filesystem::create_directory(scratch / "two");
  std::filesystem::create_directory(scratch / "one/tool");  // a folder is no program
  test::spill(scratch / "two/tool", "#!/bin/sh\n", 0755);
  test::spill(scratch / "one/data", "x", 0644);
  const std::string path = "::.:relative:" + (scratch / "one") + ":" + (scratch / "two");
  EXPECT_EQ(*find_executable("tool", path), scratch / "two/tool");
  EXPECT_EQ(find_executable("data", path).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*find_executable(scratch / "two/tool", ""), scratch / "two/tool");
  EXPECT_FALSE(find_executable("", path));
}

TEST(StopSignals, TellTheFirstOneAndWakeAPoll) {
  auto stop = StopSignals::catch_signals();
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->received(), 0);
  ::raise(SIGTERM);
  ::raise(SIGINT);
  EXPECT_EQ(stop->received(), SIGTERM);
  std::uint64_t count = 0;
  EXPECT_EQ(::read(stop->fd(), &count, sizeof count), static_cast<ssize_t>(sizeof count));
}

}  // namespace
}  // namespace magi::os
