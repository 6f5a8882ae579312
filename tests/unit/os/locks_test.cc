#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "libcommon/base/clock.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/lease.h"
#include "libcommon/os/lock_call.h"
#include "libcommon/os/mutation_lock.h"
#include "tests/unit/scratch.h"

namespace magi::os {
namespace {

Dir top(const test::Scratch& scratch) { return *Dir::open_top(scratch.path(), IfMissing::kFail); }

std::int64_t elapsed_ms(const std::function<void()>& body) {
  const std::int64_t start = monotonic_ns();
  body();
  return (monotonic_ns() - start) / 1'000'000;
}

// A child that holds a lock until it is killed; returns once it holds it.
template <class Hold>
pid_t holder(Hold hold) {
  auto pipe = make_pipe();
  const pid_t pid = test::in_child([&] {
    auto held = hold();
    if (!held || ::write(pipe->write.get(), "h", 1) != 1) return 1;
    while (true) ::pause();
  });
  pipe->write.reset();
  char byte;
  EXPECT_EQ(::read(pipe->read.get(), &byte, 1), 1);
  return pid;
}

void kill_hard(pid_t pid) {
  ::kill(pid, SIGKILL);
  EXPECT_EQ(test::exit_of(pid), 128 + SIGKILL);
}

TEST(Lease, ExcludesWithinAProcess) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  auto first = Lease::acquire(dir, "a.lease");
  ASSERT_TRUE(first);
  EXPECT_EQ(test::mode_of(scratch / "a.lease"), 0600u);
  EXPECT_EQ(::fcntl(first->fd(), F_GETFD), FD_CLOEXEC);
  const auto second = Lease::acquire(dir, "a.lease", 0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(Lease::acquire(dir, "b.lease", 0));
  // Closing another descriptor of the file does not drop it.
  { const Fd other(::open((scratch / "a.lease").c_str(), O_RDWR | O_CLOEXEC)); }
  EXPECT_FALSE(Lease::acquire(dir, "a.lease", 0));
  { const Lease gone = *std::move(first); }
  EXPECT_TRUE(Lease::acquire(dir, "a.lease", 0));
}

TEST(Lease, IsGoneWithAKilledProcess) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  const pid_t pid = holder([&] { return Lease::acquire(dir, "a.lease"); });
  std::int64_t waited =
      elapsed_ms([&] { EXPECT_EQ(Lease::acquire(dir, "a.lease", 100).error().code, ErrorCode::kBusy); });
  EXPECT_GE(waited, 90);
  kill_hard(pid);
  EXPECT_TRUE(Lease::acquire(dir, "a.lease", 0));
}

TEST(Lease, IsNotHeldThroughAFileThatLostItsName) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  const auto old = Lease::acquire(dir, "a.lease");
  ASSERT_TRUE(old);
  std::filesystem::remove(scratch / "a.lease");
  auto fresh = Lease::acquire(dir, "a.lease", 0);
  ASSERT_TRUE(fresh) << "the name stands for a new file, which nobody holds";
  EXPECT_FALSE(Lease::acquire(dir, "a.lease", 0));
}

std::string removed_before_locking;

int lock_after_removal(int fd, struct flock* lock) {
  if (!removed_before_locking.empty()) std::filesystem::remove(std::exchange(removed_before_locking, {}));
  return real_disk().ofd_setlk(fd, lock);
}

TEST(Lease, IsTakenAgainWhereTheFileWentBetweenOpeningAndLocking) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  removed_before_locking = scratch / "a.lease";
  Disk table = real_disk();
  table.ofd_setlk = &lock_after_removal;
  const ScopedDisk scope(table);
  const auto lease = Lease::acquire(dir, "a.lease", 1'000);
  ASSERT_TRUE(lease);
  EXPECT_FALSE(Lease::acquire(dir, "a.lease", 0)) << "it holds the file that has the name";
}

TEST(Lease, CanBeHandedOverByDescriptor) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  auto lease = Lease::acquire(dir, "a.lease");
  ASSERT_TRUE(lease);
  {
    auto adopted = Lease::adopt(*duplicate(lease->fd()), dir, "a.lease");
    ASSERT_TRUE(adopted);
    EXPECT_FALSE(Lease::acquire(dir, "a.lease", 0));
  }
  EXPECT_FALSE(Lease::acquire(dir, "a.lease", 0)) << "the other copy still holds it";
  EXPECT_EQ(Lease::adopt(Fd(::open((scratch / "a.lease").c_str(), O_RDWR | O_CLOEXEC)), dir, "a.lease").error().code,
            ErrorCode::kBusy)
      << "opened anew, it is no lease";
  test::spill(scratch / "other", "");
  EXPECT_EQ(Lease::adopt(Fd(::open((scratch / "other").c_str(), O_RDWR | O_CLOEXEC)), dir, "a.lease").error().code,
            ErrorCode::kUsage);
}

TEST(MutationLock, IsSharedByAppendersAndExclusiveForRotation) {
  using Mode = MutationLock::Mode;
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  auto lock = MutationLock::open(dir, "a.mutation");
  ASSERT_TRUE(lock);
  // The child has the same descriptor but is a process of its own, and so are its locks.
  const auto holding = [&](Mode mode) { return holder([&lock, mode] { return lock->acquire(mode); }); };
  pid_t pid = holding(Mode::kShared);
  EXPECT_TRUE(lock->acquire(Mode::kShared, 0));
  EXPECT_EQ(lock->acquire(Mode::kExclusive, 50).error().code, ErrorCode::kBusy);
  kill_hard(pid);
  EXPECT_TRUE(lock->acquire(Mode::kExclusive, 0));
  pid = holding(Mode::kExclusive);
  const std::int64_t waited =
      elapsed_ms([&] { EXPECT_EQ(lock->acquire(Mode::kShared, 100).error().code, ErrorCode::kBusy); });
  EXPECT_GE(waited, 90);
  EXPECT_LT(waited, 2'000);
  kill_hard(pid);
  EXPECT_TRUE(lock->acquire(Mode::kShared, 0));
}

TEST(MutationLock, IsReleasedWithItsHeldObject) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  auto lock = MutationLock::open(dir, "a.mutation");
  const auto taken_elsewhere = [&] {
    return test::exit_of(test::in_child([&] {
      // The parent's descriptors are shared but its locks are not.
      const Fd fd(::open((scratch / "a.mutation").c_str(), O_RDWR | O_CLOEXEC));
      struct flock request {};
      request.l_type = F_WRLCK;
      request.l_whence = SEEK_SET;
      return ::fcntl(fd.get(), F_SETLK, &request) == 0 ? 0 : 1;
    }));
  };
  {
    auto held = lock->acquire(MutationLock::Mode::kShared);
    ASSERT_TRUE(held);
    EXPECT_EQ(taken_elsewhere(), 1);
  }
  EXPECT_EQ(taken_elsewhere(), 0);
}

TEST(MutationLock, IsOpenOnceInAProcess) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  {
    auto lock = MutationLock::open(dir, "a.mutation");
    ASSERT_TRUE(lock);
    EXPECT_EQ(MutationLock::open(dir, "a.mutation").error().code, ErrorCode::kBusy);
    EXPECT_TRUE(MutationLock::open(dir, "b.mutation"));
  }
  EXPECT_TRUE(MutationLock::open(dir, "a.mutation"));
}

TEST(MutationLock, LeavesNoDescriptorToChildren) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  auto lock = MutationLock::open(dir, "a.mutation");
  ASSERT_TRUE(lock);
  int seen = 0;
  for (int fd = 3; fd < 64; ++fd) {
    struct stat status {
    }, wanted{};
    if (::fstat(fd, &status) != 0 || ::stat((scratch / "a.mutation").c_str(), &wanted) != 0 ||
        status.st_ino != wanted.st_ino)
      continue;
    EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
    ++seen;
  }
  EXPECT_EQ(seen, 1);
}

TEST(MutationLock, FollowsItsNameToANewFile) {
  const test::Scratch scratch;
  const Dir dir = top(scratch);
  auto lock = MutationLock::open(dir, "a.mutation");
  ASSERT_TRUE(lock);
  std::filesystem::remove(scratch / "a.mutation");
  auto held = lock->acquire(MutationLock::Mode::kShared, 1'000);
  ASSERT_TRUE(held) << held.error().what;
  EXPECT_EQ(test::mode_of(scratch / "a.mutation"), 0600u);
}

TEST(BoundedLockCall, GivesUpOnACallThatNeverAnswers) {
  const auto stuck = std::make_shared<int>(7);
  int result = 0;
  const std::int64_t waited = elapsed_ms([&] {
    result = bounded_lock_call(
        [stuck]() -> int {
          while (true) ::pause();
        },
        200);
  });
  EXPECT_EQ(result, ETIMEDOUT);
  EXPECT_GE(waited, 190);
  EXPECT_LT(waited, 5'000);
  EXPECT_EQ(no_locking("/x", result).what,
            "cannot lock '/x': locking not available (the lock service does not answer)");
}

TEST(BoundedLockCall, PassesTheAnswerOn) {
  for (int i = 0; i < 200; ++i) ASSERT_EQ(bounded_lock_call([i] { return i; }), i);
}

}  // namespace
}  // namespace magi::os
