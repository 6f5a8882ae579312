// Crashes and failing calls at every point of a checkpoint and of a rewind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/fault/crash_explorer.h"
#include "tests/unit/scratch.h"
#include "tests/unit/session/ledger_support.h"

namespace magi::session {
namespace {

using test::Acknowledge;
using test::CrashReport;
using test::CrashScenario;
using test::CrashState;

constexpr const char* kId = "20261130-100000-0123456789";

Home home_in(const std::string& folder) { return Home(folder + "/home"); }
std::string project_in(const std::string& folder) { return folder + "/project"; }

FileState state_of(const std::string& bytes) {
  return {sha256_hex(bytes), static_cast<std::int64_t>(bytes.size()), "0644"};
}

// Acknowledges "TURN BYTES" once the change is promised to survive.
void record(Ledger& ledger, const std::string& turn, const std::string& before, const std::string& after,
            const Acknowledge& acknowledge) {
  Change change;
  change.turn_id = turn;
  change.by = "write";
  change.root = "/project";
  change.path = "f";
  change.before = state_of(before);
  change.after = state_of(after);
  if (ledger.record(change, before)) acknowledge(turn + ' ' + before);
}

void expect_ledger_is_sound(const CrashState& state) {
  const Home home = home_in(state.folder);
  const auto find = [](const LedgerContents& contents, const std::string& turn) {
    return std::any_of(contents.changes.begin(), contents.changes.end(),
                       [&](const Change& change) { return change.turn_id == turn; });
  };
  auto contents = read_ledger(home, kId);
  ASSERT_TRUE(contents) << contents.error().what;
  for (const std::string& promised : state.acknowledged) {
    const std::string turn = promised.substr(0, promised.find(' ')), bytes = promised.substr(turn.size() + 1);
    EXPECT_TRUE(find(*contents, turn)) << turn;
    const auto kept = read_saved(home, sha256_hex(bytes));
    EXPECT_TRUE(kept) << kept.error().what;
  }
  // Every record that can be seen has its bytes, promised or not.
  for (const Change& change : contents->changes)
    if (change.saved) {
      EXPECT_TRUE(read_saved(home, change.before->sha256)) << change.turn_id;
    }
  Ledger ledger(home, kId, &test::ledger_clock);
  record(ledger, "after", "bytes after", "z", [](const std::string&) {});
  contents = read_ledger(home, kId);
  ASSERT_TRUE(contents) << contents.error().what;
  EXPECT_TRUE(find(*contents, "after"));
  EXPECT_EQ(contents->torn_bytes, 0u);
}

void expect_explored(const char* name, const CrashScenario& scenario, int at_least, int least_calls,
                     const test::CrashBounds& bounds = {}) {
  const CrashReport report = test::explore_crashes(scenario, bounds);
  std::printf("%s: %s\n", name, to_string(report).c_str());
  EXPECT_GE(report.states, at_least);
  EXPECT_GE(report.calls, least_calls);
}

TEST(LedgerCrash, FirstCheckpointOfAHome) {
  expect_explored("first checkpoint",
                  {[](const std::string&) {},
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Ledger ledger(home_in(folder), kId, &test::ledger_clock);
                     for (int attempt = 0; attempt < 2; ++attempt) record(ledger, "t1", "one", "two", acknowledge);
                   },
                   &expect_ledger_is_sound},
                  500, 40);
}

TEST(LedgerCrash, AppendBehindATornTail) {
  expect_explored("behind a torn tail",
                  {[](const std::string& folder) {
                     Ledger ledger(home_in(folder), kId, &test::ledger_clock);
                     record(ledger, "t1", "one", "two", [](const std::string&) {});
                     const std::string path = home_in(folder).checkpoints() + "/" + kId + ".jsonl";
                     const std::string whole = test::slurp(path);
                     test::spill(path, whole + whole.substr(0, whole.size() / 2));
                   },
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Ledger ledger(home_in(folder), kId, &test::ledger_clock);
                     record(ledger, "t2", std::string(5000, 'b'), "c", acknowledge);
                     record(ledger, "t2", "c", "d", acknowledge);
                   },
                   [](const CrashState& state) {
                     CrashState first = state;
                     // Of a later change in the turn no bytes are kept.
                     std::erase(first.acknowledged, std::string("t2 c"));
                     expect_ledger_is_sound(first);
                   }},
                  100, 40);
}

// The ledger names the folder in which it was written; a state is rebuilt in another.
void move_root(const CrashState& state) {
  const std::string path = home_in(state.folder).checkpoints() + "/" + kId + ".jsonl";
  std::string bytes = test::slurp(path);
  constexpr std::string_view kKey = "\"root\":\"";
  for (std::size_t at = bytes.find(kKey); at != std::string::npos; at = bytes.find(kKey, at + 1)) {
    const std::size_t begin = at + kKey.size(), end = bytes.find('"', begin);
    if (end != std::string::npos) bytes.replace(begin, end - begin, project_in(state.folder));
  }
  test::spill(path, bytes);
}

TEST(LedgerCrash, Rewind) {
  test::CrashBounds few;  // four files are many calls
  few.faults = {test::Fault::kEio};
  expect_explored(
      "rewind",
      {[](const std::string& folder) {
         const std::string root = project_in(folder), bytes = "agent's", more = "agent's, too";
         std::filesystem::create_directory(root);
         test::spill(root + "/f", "old", 0644);
         test::spill(root + "/gone", "was here", 0644);
         Ledger ledger(home_in(folder), kId, &test::ledger_clock);
         ASSERT_TRUE(test::change_as_tool(ledger, root, "t1", "f", &bytes));
         ASSERT_TRUE(test::change_as_tool(ledger, root, "t1", "f", &more));
         ASSERT_TRUE(test::change_as_tool(ledger, root, "t1", "made", &bytes));
         ASSERT_TRUE(test::change_as_tool(ledger, root, "t1", "gone", nullptr));
       },
       [](const std::string& folder, const Acknowledge& acknowledge) {
         for (const RewoundFile& file : test::rewind_to(home_in(folder), kId, "t1"))
           if (file.fate == Fate::kRestored) acknowledge(file.path);
       },
       [](const CrashState& state) {
         const std::string root = project_in(state.folder);
         const auto is = [&](const char* name, std::initializer_list<const char*> allowed) {
           const std::string bytes = test::slurp(root + "/" + name);
           EXPECT_TRUE(std::any_of(allowed.begin(), allowed.end(), [&](const char* one) { return bytes == one; }))
               << name << ": " << bytes;
         };
         is("f", {"old", "agent's, too"});
         is("made", {"", "agent's"});
         is("gone", {"", "was here"});
         // What was begun can be ended.
         move_root(state);
         for (const RewoundFile& file : test::rewind_to(home_in(state.folder), kId, "t1"))
           EXPECT_TRUE(file.fate == Fate::kRestored || file.fate == Fate::kRemoved || file.fate == Fate::kUnchanged)
               << file.path << ' ' << fate_name(file.fate) << ' ' << file.reason;
         EXPECT_EQ(test::slurp(root + "/f"), "old");
         EXPECT_EQ(test::slurp(root + "/gone"), "was here");
         EXPECT_FALSE(std::filesystem::exists(root + "/made"));
       }},
      300, 100, few);
}

}  // namespace
}  // namespace magi::session
