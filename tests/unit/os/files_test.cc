#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "libcommon/os/append.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/safe_open.h"
#include "tests/unit/scratch.h"

namespace magi::os {
namespace {

Dir top(const test::Scratch& scratch) { return *Dir::open_top(scratch.path(), IfMissing::kFail); }

// The error text; "ok" without one.
template <class T>
std::string why(const Result<T>& result) {
  return result ? "ok" : result.error().what;
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

TEST(Dir, CreatesPrivateFoldersAndFilesWhateverTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0777}}) {
    const test::Scratch scratch;
    const Umask umask(mask);
    auto home = Dir::open_top(scratch / "a/b/home", IfMissing::kCreate);
    if (mask == 0777 && ::geteuid() != 0) continue;  // ancestors of the home take the umask as the user set it
    ASSERT_TRUE(home) << why(home);
    auto sessions = home->subdir("sessions", IfMissing::kCreate);
    ASSERT_TRUE(sessions) << why(sessions);
    ASSERT_TRUE(sessions->open_file("f", FileUse::kCreate));
    ASSERT_TRUE(sessions->open_file("g", FileUse::kAppendNew));
    EXPECT_EQ(test::mode_of(scratch / "a/b/home/sessions"), 0700u) << mask;
    EXPECT_EQ(test::mode_of(scratch / "a/b/home/sessions/f"), 0600u) << mask;
    EXPECT_EQ(test::mode_of(scratch / "a/b/home/sessions/g"), 0600u) << mask;
    EXPECT_EQ(test::mode_of(scratch / "a/b/home") & 077, 0u) << mask;
  }
}

TEST(Dir, TheTopMayBeReachedThroughLinksButMustBeSound) {
  const test::Scratch scratch;
  std::filesystem::create_directories(scratch / "real/home");
  std::filesystem::create_symlink("real", scratch / "link");
  std::filesystem::create_symlink("real/home", scratch / "home-link");
  std::filesystem::create_symlink("nowhere", scratch / "dangling");
  test::spill(scratch / "file", "");
  ::chmod((scratch / "real/home").c_str(), 0755);
  EXPECT_EQ(why(Dir::open_top(scratch / "link/home", IfMissing::kFail)), "ok");
  EXPECT_EQ(why(Dir::open_top(scratch / "home-link/", IfMissing::kFail)), "ok");
  for (const IfMissing missing : {IfMissing::kFail, IfMissing::kCreate}) {
    EXPECT_EQ(why(Dir::open_top(scratch / "dangling", missing)),
              "refusing '" + (scratch / "dangling") + "': a dangling link");
    EXPECT_EQ(why(Dir::open_top(scratch / "file", missing)), "refusing '" + (scratch / "file") + "': not a folder");
    EXPECT_EQ(why(Dir::open_top("relative", missing)), "'relative' is not an absolute path");
  }
  EXPECT_EQ(why(Dir::open_top(scratch / "dangling/home", IfMissing::kCreate)),
            "refusing '" + (scratch / "dangling") + "': a dangling link");
  EXPECT_EQ(Dir::open_top(scratch / "missing", IfMissing::kFail).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(scratch / "nowhere"));
  ::chmod((scratch / "real/home").c_str(), 0777);
  EXPECT_EQ(why(Dir::open_top(scratch / "real/home", IfMissing::kFail)),
            "refusing '" + (scratch / "real/home") + "': mode 0777 lets others write (chmod go-w repairs it)");
}

TEST(Dir, RefusesFoldersThatBreakARuleAndNamesIt) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  std::filesystem::create_directory(scratch / "loose");
  ::chmod((scratch / "loose").c_str(), 0750);
  std::filesystem::create_directory(scratch / "target");
  ::chmod((scratch / "target").c_str(), 0700);
  std::filesystem::create_symlink("target", scratch / "link");
  std::filesystem::create_symlink("nowhere", scratch / "dangling");
  test::spill(scratch / "file", "");
  const auto refusal = [&](const char* name) {
    const auto opened = dir.subdir(name, IfMissing::kCreate);
    EXPECT_EQ(opened ? ErrorCode::kInternal : opened.error().code, ErrorCode::kUnsafe);
    return why(opened).substr(("refusing '" + (scratch / name) + "': ").size());
  };
  EXPECT_EQ(refusal("loose"), "mode 0750 lets others in, must be 0700 or stricter (magi-perms repairs it)");
  EXPECT_EQ(refusal("link"), "a link in place of a folder");
  EXPECT_EQ(refusal("dangling"), "a link in place of a folder");
  EXPECT_EQ(refusal("file"), "not a folder");
  EXPECT_EQ(dir.subdir("missing", IfMissing::kFail).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(why(dir.subdir("target", IfMissing::kFail)), "ok");
}

TEST(Dir, RefusesFilesThatBreakARuleWithoutWaiting) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "loose", "x", 0644);
  test::spill(scratch / "fine", "x", 0400);
  std::filesystem::create_symlink("fine", scratch / "link");
  std::filesystem::create_directory(scratch / "folder");
  ::mkfifo((scratch / "fifo").c_str(), 0600);
  for (const FileUse use : {FileUse::kRead, FileUse::kReadWrite, FileUse::kCreate, FileUse::kAppend}) {
    for (const char* name : {"loose", "link", "folder", "fifo"}) {
      const auto opened = dir.open_file(name, use);
      ASSERT_FALSE(opened) << name;
      EXPECT_EQ(opened.error().code, ErrorCode::kUnsafe) << opened.error().what;
    }
  }
  EXPECT_EQ(why(dir.open_file("loose", FileUse::kRead)),
            "refusing '" + (scratch / "loose") +
                "': mode 0644 lets others in, must be 0600 or stricter (magi-perms repairs it)");
  EXPECT_EQ(why(dir.open_file("link", FileUse::kRead)),
            "refusing '" + (scratch / "link") + "': a link is not followed");
  EXPECT_EQ(why(dir.open_file("fine", FileUse::kRead)), "ok");
  EXPECT_EQ(dir.open_file("fine", FileUse::kAppendNew).error().code, ErrorCode::kBusy);
  EXPECT_EQ(dir.open_file("link", FileUse::kCreateNew).error().code, ErrorCode::kBusy);
  EXPECT_EQ(dir.open_file("missing", FileUse::kRead).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(test::slurp(scratch / "fine"), "x");
}

TEST(Dir, RefusesWhatAnotherUserOwns) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "theirs", "x");
  ASSERT_EQ(::chown((scratch / "theirs").c_str(), 12345, 12345), 0);
  std::filesystem::create_directory(scratch / "folder");
  ::chmod((scratch / "folder").c_str(), 0700);
  ASSERT_EQ(::chown((scratch / "folder").c_str(), 12345, 12345), 0);
  EXPECT_EQ(why(dir.open_file("theirs", FileUse::kRead)),
            "refusing '" + (scratch / "theirs") + "': owned by another user (uid 12345)");
  EXPECT_EQ(dir.subdir("folder", IfMissing::kFail).error().code, ErrorCode::kUnsafe);
  EXPECT_EQ(Dir::open_top(scratch / "folder", IfMissing::kFail).error().code, ErrorCode::kUnsafe);
}

TEST(ReplaceFile, SwapsWholeContentsAndLeavesNothingBehind) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  const Umask umask(0);
  ASSERT_TRUE(replace_file(dir, "f", "one", Sync::kDurable));
  ASSERT_TRUE(replace_file(dir, "f", std::string(100'000, 'x'), Sync::kNone));
  EXPECT_EQ(test::slurp(scratch / "f"), std::string(100'000, 'x'));
  EXPECT_EQ(test::mode_of(scratch / "f"), 0600u);
  EXPECT_EQ(*dir.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(*read_file(dir, "f", 100'000), std::string(100'000, 'x'));
  EXPECT_EQ(read_file(dir, "f", 99'999).error().code, ErrorCode::kLimit);
  EXPECT_EQ(read_file(dir, "g", 10).error().code, ErrorCode::kNotFound);
}

TEST(ReplaceFile, ReplacesALinkInsteadOfFollowingIt) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "target", "untouched");
  std::filesystem::create_symlink("target", scratch / "f");
  ASSERT_TRUE(replace_file(dir, "f", "new", Sync::kNone));
  EXPECT_EQ(test::slurp(scratch / "target"), "untouched");
  EXPECT_EQ(test::slurp(scratch / "f"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(scratch / "f"));
}

AppendFile open_for_append(const Dir& dir, FileUse use = FileUse::kAppend) {
  return *AppendFile::open(dir, "s.jsonl", use, *MutationLock::open(dir, "s.mutation"));
}

TEST(AppendFile, AppendsWholeRecordsAndKnowsTheStamp) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  AppendFile file = open_for_append(dir, FileUse::kAppendNew);
  EXPECT_EQ(file.append("one\n", true).outcome, AppendOutcome::kDone);
  EXPECT_EQ(file.append("two\nthree\n", false).outcome, AppendOutcome::kDone);
  EXPECT_EQ(test::slurp(scratch / "s.jsonl"), "one\ntwo\nthree\n");
  EXPECT_EQ(file.stamp().length, 14u);
  EXPECT_EQ(file.fresh_stamp()->inode, file.stamp().inode);
  EXPECT_EQ(test::mode_of(scratch / "s.jsonl"), 0600u);
}

TEST(AppendFile, StartsOnALineOfItsOwnBehindATornTail) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "s.jsonl", "one\n{\"torn");
  AppendFile file = open_for_append(dir);
  AppendResult first = file.append("two\n", true);
  EXPECT_EQ(first.outcome, AppendOutcome::kDone);
  EXPECT_TRUE(first.ended_torn_line);
  EXPECT_FALSE(file.append("three\n", true).ended_torn_line);
  EXPECT_EQ(test::slurp(scratch / "s.jsonl"), "one\n{\"torn\ntwo\nthree\n");
}

TEST(AppendFile, FollowsTheNameToAFileThatReplacedIts) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "s.jsonl", "old\n");
  AppendFile file = open_for_append(dir);
  EXPECT_EQ(file.append("a\n", true).outcome, AppendOutcome::kDone);
  test::spill(scratch / "new", "rotated");
  std::filesystem::rename(scratch / "new", scratch / "s.jsonl");
  const AppendResult result = file.append("b\n", true);
  EXPECT_EQ(result.outcome, AppendOutcome::kDone);
  EXPECT_TRUE(result.reopened);
  EXPECT_EQ(test::slurp(scratch / "s.jsonl"), "rotated\nb\n");
}

TEST(AppendFile, WritesNothingWhereTheNameIsGoneOrUnsafe) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "s.jsonl", "old\n");
  AppendFile file = open_for_append(dir);
  std::filesystem::rename(scratch / "s.jsonl", scratch / "moved");
  const AppendResult gone = file.append("b\n", true);
  EXPECT_EQ(gone.outcome, AppendOutcome::kRolledBack);
  EXPECT_EQ(gone.error.code, ErrorCode::kNotFound);
  std::filesystem::create_symlink("moved", scratch / "s.jsonl");
  EXPECT_EQ(file.append("b\n", true).error.code, ErrorCode::kUnsafe);
  EXPECT_EQ(test::slurp(scratch / "moved"), "old\n");
  EXPECT_EQ(test::mode_of(scratch / "s.jsonl"), 0777u) << "still the link";
}

int foreign_fd = -1;

// Half of the record, then someone else's, then no space: as two appenders without a lease might meet on a full disk.
ssize_t write_between(int fd, const void* bytes, std::size_t size) {
  static bool is_full = false;
  if (std::exchange(is_full, true)) return errno = ENOSPC, -1;
  const ssize_t half = ::write(fd, bytes, size / 2);
  return ::write(foreign_fd, "theirs\n", 7) == 7 ? half : -1;
}

TEST(AppendFile, NeverCutsOffWhatAnotherAppended) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "s.jsonl", "one\n");
  AppendFile file = open_for_append(dir);
  const Fd other(::open((scratch / "s.jsonl").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  foreign_fd = other.get();
  Disk table = real_disk();
  table.write = &write_between;
  {
    const ScopedDisk scope(table);
    const AppendResult result = file.append("mine\n", true);
    EXPECT_EQ(result.outcome, AppendOutcome::kUncertain);
    EXPECT_EQ(result.error.code, ErrorCode::kNoSpace);
  }
  EXPECT_EQ(test::slurp(scratch / "s.jsonl"), "one\nmitheirs\n");
}

TEST(AppendFile, WaitsForTheExclusiveLock) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  test::spill(scratch / "s.jsonl", "");
  auto pipe = make_pipe();
  const pid_t holder = test::in_child([&] {
    auto lock = *MutationLock::open(dir, "s.mutation");
    auto held = lock.acquire(MutationLock::Mode::kExclusive);
    if (!held || ::write(pipe->write.get(), "h", 1) != 1) return 1;
    ::usleep(100'000);
    test::spill(scratch / "s.jsonl", "by the holder\n");
    return 0;
  });
  char byte;
  ASSERT_EQ(::read(pipe->read.get(), &byte, 1), 1);
  AppendFile file = open_for_append(dir);
  EXPECT_EQ(file.append("mine\n", false).outcome, AppendOutcome::kDone);
  EXPECT_EQ(test::slurp(scratch / "s.jsonl"), "by the holder\nmine\n");
  EXPECT_EQ(test::exit_of(holder), 0);
}

TEST(AppendFile, SES07EightProcessesLoseAndMixNothing) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  constexpr int kProcesses = 8, kEvents = 500;
  auto start = make_pipe();
  test::spill(scratch / "s.jsonl", "a torn tail to begin with");
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process)
    children.push_back(test::in_child([&] {
      start->write.reset();
      char byte;
      if (::read(start->read.get(), &byte, 1) != 0) return 2;  // all start together
      AppendFile file = open_for_append(dir);
      for (int event = 0; event < kEvents; ++event) {
        const std::string record =
            std::to_string(process) + ":" + std::to_string(event) + ":" +
            std::string(static_cast<std::size_t>(event * 37 % 3000), 'a' + static_cast<char>(process)) + "\n";
        if (file.append(record, false).outcome != AppendOutcome::kDone) return 1;
      }
      return 0;
    }));
  start->write.reset();
  for (const pid_t child : children) EXPECT_EQ(test::exit_of(child), 0);
  std::vector<int> next(kProcesses);
  for (const std::string& line : test::lines_of(test::slurp(scratch / "s.jsonl"))) {
    if (line.empty() || line[0] == 'a') continue;  // the torn tail, ended by whoever came first
    const int process = line[0] - '0', event = std::atoi(line.c_str() + 2);
    ASSERT_EQ(event, next[static_cast<std::size_t>(process)]++) << line;
    ASSERT_EQ(line.substr(line.find_last_of(':') + 1),
              std::string(static_cast<std::size_t>(event * 37 % 3000), 'a' + static_cast<char>(process)));
  }
  EXPECT_EQ(next, std::vector<int>(kProcesses, kEvents));
}

}  // namespace
}  // namespace magi::os
