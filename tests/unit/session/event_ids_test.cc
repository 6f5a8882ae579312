#include "libcommon/session/event_ids.h"

#include <gtest/gtest.h>

#include <set>

#include "libcommon/base/clock.h"
#include "libcommon/session/paths.h"
#include "tests/fault/faulty_disk.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

struct Folder {
  test::Scratch scratch;
  os::Dir sessions = *open_sessions(Home(scratch.path()), Family::kPrimary, os::IfMissing::kCreate);
  os::Dir locks = *open_locks(sessions);
  std::string counter() const { return test::slurp(scratch / "sessions/event-id-sequence"); }
  void set_counter(std::string_view text) { test::spill(scratch / "sessions/event-id-sequence", text); }
};

std::uint64_t number(const std::string& id) { return std::stoull(id, nullptr, 16); }

TEST(EventIds, BeginAtTheClockTimesTwoToTheTwentyWhenThereIsNoCounter) {
  Folder folder;
  const auto before = static_cast<std::uint64_t>(unix_time_ms()) << 20;
  EventIds ids(folder.sessions, folder.locks);
  const std::string first = *ids.next();
  EXPECT_GE(number(first), before);
  EXPECT_LE(number(first), static_cast<std::uint64_t>(unix_time_ms()) << 20);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(folder.counter(), std::to_string(number(first) + kEventIdBlock) + "\n");
  EXPECT_EQ(number(*ids.next()), number(first) + 1);
  EXPECT_EQ(test::mode_of(folder.scratch / "sessions/event-id-sequence"), 0600u);
}

TEST(EventIds, GoOnFromTheCounterInBlocks) {
  Folder folder;
  folder.set_counter("4096\n");
  EventIds one(folder.sessions, folder.locks), two(folder.sessions, folder.locks);
  EXPECT_EQ(*one.next(), "1000");
  EXPECT_EQ(folder.counter(), "5120\n");
  EXPECT_EQ(*two.next(), "1400");
  for (std::uint64_t i = 1; i < kEventIdBlock; ++i) ASSERT_EQ(number(*one.next()), 0x1000 + i);
  EXPECT_EQ(*one.next(), "1800") << "the block of the other one is passed over";
  EXPECT_EQ(folder.counter(), "7168\n");
}

TEST(EventIds, ReserveRoomForAWholeBatch) {
  Folder folder;
  folder.set_counter("9\n");
  EventIds ids(folder.sessions, folder.locks);
  ASSERT_TRUE(ids.reserve(5000));
  EXPECT_EQ(folder.counter(), "5009\n");
  EXPECT_EQ(*ids.next(), "9");
}

TEST(EventIds, ACorruptCounterBlocksWrites) {
  for (const char* text : {"", "\n", "x", "12x\n", "-5\n", "0x10\n", " 5\n", "5\n5\n", "99999999999999999999999\n",
                           "18446744073709551615\n", "1.5\n"}) {
    Folder folder;
    folder.set_counter(text);
    EventIds ids(folder.sessions, folder.locks);
    const auto id = ids.next();
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().code, ErrorCode::kBadRecord) << text;
    EXPECT_EQ(folder.counter(), text) << "it is left for a person to look at";
  }
}

TEST(EventIds, AnUnsafeCounterBlocksWrites) {
  Folder folder;
  test::spill(folder.scratch / "target", "5\n");
  std::filesystem::create_symlink(folder.scratch / "target", folder.scratch / "sessions/event-id-sequence");
  EventIds ids(folder.sessions, folder.locks);
  EXPECT_EQ(ids.next().error().code, ErrorCode::kUnsafe);
  EXPECT_EQ(test::slurp(folder.scratch / "target"), "5\n");
}

TEST(EventIds, ABlockCostsOneSyncOnceTheCounterExists) {
  Folder folder;
  EventIds first(folder.sessions, folder.locks);
  ASSERT_TRUE(first.next());
  test::FaultyDisk disk(test::Fault::kEio, 0);
  EventIds ids(folder.sessions, folder.locks);
  for (std::uint64_t i = 0; i < kEventIdBlock; ++i) ASSERT_TRUE(ids.next());
  EXPECT_EQ(disk.count("fdatasync") + disk.count("fsync"), 1);
}

TEST(EventIds, ACounterThatGrowsLongerIsReplacedAsAWhole) {
  Folder folder;
  folder.set_counter("9000\n");
  EventIds ids(folder.sessions, folder.locks);
  test::FaultyDisk disk(test::Fault::kEio, 0);
  ASSERT_TRUE(ids.reserve(1));
  EXPECT_EQ(folder.counter(), "10024\n");
  EXPECT_EQ(disk.count("renameat"), 1) << "half of a longer number could be a lower one";
  EXPECT_EQ(disk.count("pwrite"), 0);
}

TEST(EventIds, AreUniqueOverProcesses) {
  Folder folder;
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process)
    children.push_back(test::in_child([&] {
      EventIds ids(folder.sessions, folder.locks);
      std::string all;
      for (int i = 0; i < 2500; ++i) all += *ids.next() + "\n";
      test::spill(folder.scratch / ("ids" + std::to_string(process)), all);
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(test::exit_of(child), 0);
  std::set<std::string> unique;
  for (int process = 0; process < 4; ++process)
    for (const std::string& id : test::lines_of(test::slurp(folder.scratch / ("ids" + std::to_string(process)))))
      unique.insert(id);
  EXPECT_EQ(unique.size(), 10'000u);
}

}  // namespace
}  // namespace magi::session
