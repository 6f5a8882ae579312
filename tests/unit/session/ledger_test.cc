#include "libcommon/session/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/mutation_lock.h"
#include "tests/fault/faulty_disk.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

using test::Scratch;
using test::slurp;
using test::spill;

constexpr const char* kId = "20261130-100000-0123456789";

FileState state_of(const std::string& bytes, const char* mode = "0644") {
  return {sha256_hex(bytes), static_cast<std::int64_t>(bytes.size()), mode};
}

Change change_of(const std::string& turn, const std::string& path, std::optional<FileState> before,
                 std::optional<FileState> after) {
  Change change;
  change.turn_id = turn;
  change.by = "write";
  change.root = "/project";
  change.path = path;
  change.before = std::move(before);
  change.after = std::move(after);
  return change;
}

struct Store {
  Scratch scratch;
  Home home{scratch / "home"};
  std::string ledger_path(const std::string& id = kId) const { return home.checkpoints() + "/" + id + ".jsonl"; }
  std::string blob_path(const std::string& bytes) const { return home.checkpoints() + "/blobs/" + sha256_hex(bytes); }
  Result<void> record(const std::string& id, const std::string& turn, const std::string& path,
                      const std::string& before, const std::string& after) {
    Change change = change_of(turn, path, state_of(before), state_of(after));
    return Ledger(home, id).record(change, before);
  }
};

TEST(Ledger, GivesBackWhatWasRecorded) {
  Store store;
  Ledger ledger(store.home, kId);
  Change edit = change_of("t1", "a.txt", state_of("one", "0751"), state_of("two", "0751"));
  Change made = change_of("t1", "new/dir/x", std::nullopt, state_of("x"));
  made.folders_made = 2;
  Change gone = change_of("t2", "a.txt", state_of("two", "0751"), std::nullopt);
  ASSERT_TRUE(ledger.record(edit, "one"));
  ASSERT_TRUE(ledger.record(made, ""));
  ASSERT_TRUE(ledger.record(gone, "two"));
  const auto contents = read_ledger(store.home, kId);
  ASSERT_TRUE(contents) << contents.error().what;
  ASSERT_EQ(contents->changes.size(), 3u);
  EXPECT_EQ(contents->torn_bytes, 0u);
  EXPECT_EQ(contents->changes[0].before, edit.before);
  EXPECT_EQ(contents->changes[0].after, edit.after);
  EXPECT_TRUE(contents->changes[0].saved);
  EXPECT_FALSE(contents->changes[1].before);
  EXPECT_EQ(contents->changes[1].folders_made, 2);
  EXPECT_FALSE(contents->changes[2].after);
  EXPECT_EQ(*read_saved(store.home, sha256_hex("one")), "one");
  EXPECT_EQ(*read_saved(store.home, sha256_hex("two")), "two");
}

TEST(Ledger, SavesTheFirstStateOfATurnOnly) {
  Store store;
  ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
  ASSERT_TRUE(store.record(kId, "t1", "f", "b", "c"));  // by another process: the ledger tells it
  ASSERT_TRUE(store.record(kId, "t1", "g", "b2", "c"));
  ASSERT_TRUE(store.record(kId, "t2", "f", "c", "d"));
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("a")));
  EXPECT_FALSE(std::filesystem::exists(store.blob_path("b")));
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("b2")));
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("c")));
}

TEST(Ledger, PathsOfAnyBytesComeBack) {
  Store store;
  for (const std::string path : {"a b", "with\nnewline", "\xff\xfe", "hex:00", "sch\xc3\xb6n", "\"quoted\\"}) {
    Change change = change_of("t", path, std::nullopt, state_of("x"));
    ASSERT_TRUE(Ledger(store.home, kId).record(change, ""));
    EXPECT_EQ(read_ledger(store.home, kId)->changes.back().path, path);
  }
}

TEST(Ledger, AMissingLedgerIsEmpty) {
  Store store;
  EXPECT_TRUE(read_ledger(store.home, kId)->changes.empty());
  EXPECT_FALSE(std::filesystem::exists(store.home.root()));
  EXPECT_EQ(read_ledger(store.home, "../x").error().code, ErrorCode::kUsage);
}

// SEC-01: checkpoint blobs and ledgers are the owner's alone.
TEST(Ledger, IsPrivateWhateverTheUmask) {
  const mode_t old = ::umask(0);
  Store store;
  const auto recorded = store.record(kId, "t", "f", "a", "b");
  ::umask(old);
  ASSERT_TRUE(recorded);
  int looked_at = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store.home.root())) {
    EXPECT_EQ(test::mode_of(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
    ++looked_at;
  }
  EXPECT_EQ(looked_at, 6);
}

// F3
TEST(Ledger, AnIncompleteLastRecordIsReportedAndReplaced) {
  Store store;
  ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
  ASSERT_TRUE(store.record(kId, "t2", "f", "b", "c"));
  const std::string whole = slurp(store.ledger_path());
  const std::size_t second = whole.find('\n') + 1;
  for (const std::string& tail : {whole.substr(second, 40), std::string(200, '\0'), std::string("{}\n"),
                                  std::string("\n"), std::string(100, '\0') + whole.substr(second + 100)}) {
    spill(store.ledger_path(), whole.substr(0, second) + tail);
    auto contents = read_ledger(store.home, kId);
    ASSERT_TRUE(contents) << contents.error().what;
    EXPECT_EQ(contents->changes.size(), 1u);
    EXPECT_EQ(contents->torn_bytes, tail.size());
    ASSERT_TRUE(store.record(kId, "t3", "f", "b", "d"));
    contents = read_ledger(store.home, kId);
    ASSERT_TRUE(contents) << contents.error().what;
    EXPECT_EQ(contents->changes.size(), 2u);
    EXPECT_EQ(contents->changes.back().turn_id, "t3");
    EXPECT_EQ(contents->torn_bytes, 0u);
  }
}

TEST(Ledger, AWholeLastRecordWithoutItsLfCounts) {
  Store store;
  ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
  std::string bytes = slurp(store.ledger_path());
  bytes.pop_back();
  spill(store.ledger_path(), bytes);
  EXPECT_EQ(read_ledger(store.home, kId)->changes.size(), 1u);
  EXPECT_EQ(read_ledger(store.home, kId)->torn_bytes, 0u);
  ASSERT_TRUE(store.record(kId, "t2", "f", "b", "c"));
  EXPECT_EQ(read_ledger(store.home, kId)->changes.size(), 2u);
}

TEST(Ledger, AMalformedMiddleRecordIsCorruption) {
  Store store;
  ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
  ASSERT_TRUE(store.record(kId, "t2", "f", "b", "c"));
  std::string bytes = slurp(store.ledger_path());
  bytes[5] = '\0';
  spill(store.ledger_path(), bytes);
  const auto contents = read_ledger(store.home, kId);
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code, ErrorCode::kBadRecord);
  EXPECT_NE(contents.error().what.find("corrupt at line 1"), std::string::npos) << contents.error().what;
  EXPECT_FALSE(store.record(kId, "t3", "f", "c", "d"));
  EXPECT_EQ(slurp(store.ledger_path()), bytes);
}

TEST(Ledger, UnsafeObjectsAreRefused) {
  for (const std::string what : {"ledger link", "ledger mode", "blobs link", "folder mode"}) {
    Store store;
    ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
    spill(store.scratch / "elsewhere", slurp(store.ledger_path()));
    if (what == "ledger link") {
      std::filesystem::remove(store.ledger_path());
      std::filesystem::create_symlink(store.scratch / "elsewhere", store.ledger_path());
    } else if (what == "ledger mode") {
      ::chmod(store.ledger_path().c_str(), 0644);
    } else if (what == "blobs link") {
      std::filesystem::rename(store.home.checkpoints() + "/blobs", store.scratch / "blobs");
      std::filesystem::create_symlink(store.scratch / "blobs", store.home.checkpoints() + "/blobs");
    } else {
      ::chmod(store.home.checkpoints().c_str(), 0755);
    }
    const std::string before = slurp(store.scratch / "elsewhere");
    const auto recorded = store.record(kId, "t2", "f", "x", "y");
    ASSERT_FALSE(recorded) << what;
    EXPECT_EQ(recorded.error().code, ErrorCode::kUnsafe) << recorded.error().what;
    EXPECT_EQ(slurp(store.scratch / "elsewhere"), before);
    EXPECT_FALSE(std::filesystem::exists(store.scratch / "blobs/" + sha256_hex("x")));
  }
}

// A checkpoint costs the syncs that its promise needs: the bytes, their name, the record.
TEST(Ledger, SyncsNoMoreThanItMust) {
  Store store;
  Ledger ledger(store.home, kId);
  const auto syncs = [&](const std::string& turn, const std::string& before, const std::string& after) {
    test::FaultyDisk disk(test::Fault::kEio, 0);
    Change change = change_of(turn, "f", state_of(before), state_of(after));
    EXPECT_TRUE(ledger.record(change, before));
    return disk.count("fdatasync") + disk.count("fsync");
  };
  syncs("t1", "a", "b");
  EXPECT_EQ(syncs("t2", "b", "c"), 3);  // first change in a turn
  EXPECT_EQ(syncs("t2", "c", "d"), 1);  // later ones
  EXPECT_EQ(syncs("t3", "b", "e"), 2);  // bytes that the store has
}

TEST(Ledger, AFailedSyncIsCommittedButNotDurable) {
  Store store;
  ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
  Ledger ledger(store.home, kId);
  Change change = change_of("t1", "f", state_of("b"), state_of("c"));
  ASSERT_TRUE(ledger.record(change, "b"));
  int call = 0;
  {
    test::FaultyDisk disk(test::Fault::kEio, 0);
    ASSERT_TRUE(ledger.record(change, "b"));
    const auto& calls = disk.calls();
    call = static_cast<int>(std::find(calls.begin(), calls.end(), "fdatasync") - calls.begin()) + 1;
  }
  const test::FaultyDisk disk(test::Fault::kEio, call);
  const auto recorded = ledger.record(change, "b");
  ASSERT_FALSE(recorded);
  EXPECT_TRUE(ledger.committed_undurable());
  EXPECT_NE(recorded.error().what.find("committed, but not durable"), std::string::npos) << recorded.error().what;
  EXPECT_EQ(read_ledger(store.home, kId)->changes.size(), 4u);
}

TEST(Ledger, ProcessesAppendOneAfterTheOther) {
  Store store;
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer)
    children.push_back(test::in_child([&] {
      Ledger ledger(store.home, kId);
      for (int at = 0; at < 25; ++at) {
        const std::string bytes = std::to_string(writer) + "-" + std::to_string(at);
        Change change = change_of(bytes, "f" + std::to_string(writer), state_of(bytes), state_of("z"));
        if (!ledger.record(change, bytes)) return 1;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(test::exit_of(child), 0);
  const auto contents = read_ledger(store.home, kId);
  ASSERT_TRUE(contents) << contents.error().what;
  std::set<std::string> turns;
  for (const Change& change : contents->changes) {
    turns.insert(change.turn_id);
    EXPECT_EQ(*read_saved(store.home, change.before->sha256), change.turn_id);
  }
  EXPECT_EQ(contents->changes.size(), 100u);
  EXPECT_EQ(turns.size(), 100u);
}

// F2: a fork gets the earlier records and shares the blobs.
TEST(Ledger, ACopyHasTheEarlierRecords) {
  Store store;
  ASSERT_TRUE(store.record(kId, "t1", "f", "a", "b"));
  ASSERT_TRUE(store.record(kId, "t2", "f", "b", "c"));
  ASSERT_TRUE(copy_ledger(store.home, kId, "fork", 1));
  EXPECT_EQ(read_ledger(store.home, "fork")->changes.size(), 1u);
  EXPECT_EQ(read_ledger(store.home, "fork")->changes[0].turn_id, "t1");
  EXPECT_EQ(read_ledger(store.home, kId)->changes.size(), 2u);
  EXPECT_EQ(copy_ledger(store.home, kId, "fork", 1).error().code, ErrorCode::kBusy);
  ASSERT_TRUE(copy_ledger(store.home, kId, "empty", 0));
  EXPECT_FALSE(std::filesystem::exists(store.ledger_path("empty")));
}

// SEC-16, N3: blobs of other ledgers stay.
TEST(LedgerPruning, RemovesLedgersAndWhatNoOtherNames) {
  Store store;
  ASSERT_TRUE(store.record("one", "t1", "f", "shared", "b"));
  ASSERT_TRUE(store.record("one", "t1", "g", "only one", "b"));
  ASSERT_TRUE(store.record("two", "t1", "f", "shared", "b"));
  spill(store.blob_path("left by a crash"), "left by a crash");
  spill(store.home.checkpoints() + "/blobs/.tmp.x.0123", "half");
  spill(store.home.checkpoints() + "/blobs/notes", "not ours");
  LedgerPruning pruning(store.home);
  EXPECT_TRUE(*pruning.remove("one"));
  EXPECT_FALSE(*pruning.remove("one"));
  const auto blobs = pruning.remove_unnamed_blobs();
  ASSERT_TRUE(blobs) << blobs.error().what;
  EXPECT_EQ(blobs->removed, 2);
  EXPECT_EQ(blobs->failed, 0);
  EXPECT_EQ(blobs->bytes, 23);
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("shared")));
  EXPECT_FALSE(std::filesystem::exists(store.blob_path("only one")));
  EXPECT_FALSE(std::filesystem::exists(store.home.checkpoints() + "/blobs/.tmp.x.0123"));
  EXPECT_TRUE(std::filesystem::exists(store.home.checkpoints() + "/blobs/notes"));
  EXPECT_TRUE(std::filesystem::exists(store.ledger_path("two")));
}

TEST(LedgerPruning, KeepsAllBlobsWhileALedgerCannotBeRead) {
  Store store;
  ASSERT_TRUE(store.record("one", "t1", "f", "a", "b"));
  ASSERT_TRUE(store.record("two", "t1", "f", "c", "d"));
  ::chmod(store.ledger_path("two").c_str(), 0644);
  LedgerPruning pruning(store.home);
  EXPECT_TRUE(*pruning.remove("one"));
  EXPECT_FALSE(pruning.remove("two"));
  EXPECT_FALSE(pruning.remove_unnamed_blobs());
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("a")));
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("c")));
}

TEST(LedgerPruning, WithoutCheckpointsDoesNothing) {
  Store store;
  LedgerPruning pruning(store.home);
  EXPECT_FALSE(*pruning.remove("one"));
  EXPECT_TRUE(pruning.remove_unnamed_blobs());
  EXPECT_FALSE(std::filesystem::exists(store.home.root()));
}

// The lock keeps pruning from passing between a blob and its record.
TEST(LedgerPruning, WaitsForAnAppend) {
  Store store;
  ASSERT_TRUE(store.record("one", "t1", "f", "a", "b"));
  int ready[2], go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  const pid_t holder = test::in_child([&] {
    const auto folder = *open_checkpoints(store.home, os::IfMissing::kFail);
    const auto locks = *open_locks(folder);
    auto lock = *os::MutationLock::open(locks, file::kLedgersLock);
    const auto held = *lock.acquire(os::MutationLock::Mode::kExclusive);
    spill(store.blob_path("coming"), "coming");
    char byte = 'r';
    if (::write(ready[1], &byte, 1) != 1 || ::read(go[0], &byte, 1) != 1) return 1;
    Change change = change_of("t2", "f", state_of("coming"), state_of("c"));
    std::string line;
    event::append_record(line, change);
    std::ofstream(store.ledger_path("one"), std::ios::app) << line;
    return 0;
  });
  char byte = 'g';
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const pid_t pruner = test::in_child([&] { return LedgerPruning(store.home).remove_unnamed_blobs() ? 0 : 1; });
  ::usleep(50'000);
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("coming")));
  ASSERT_EQ(::write(go[1], &byte, 1), 1);
  EXPECT_EQ(test::exit_of(holder), 0);
  EXPECT_EQ(test::exit_of(pruner), 0);
  EXPECT_TRUE(std::filesystem::exists(store.blob_path("coming")));
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) ::close(fd);
}

}  // namespace
}  // namespace magi::session
