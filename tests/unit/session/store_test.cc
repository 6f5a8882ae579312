#include "libcommon/session/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/event/session_event.h"
#include "libcommon/session/sidecar.h"
#include "libcommon/session/worktree.h"
#include "tests/fault/faulty_disk.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

constexpr std::int64_t kDay = 86'400'000, kNoon = 1796040000000;

// Sessions written as other programs might have: no sidecars unless a test makes one.
struct Store {
  test::Scratch scratch;
  Home home{scratch / "home"};
  std::string project = scratch / "project";

  Store() {
    std::filesystem::create_directory(project);
    static_cast<void>(open_sessions(home, Family::kPrimary, os::IfMissing::kCreate));
  }
  std::string path(const std::string& id) const { return home.session(id); }

  template <class Payload>
  std::string line(std::int64_t at_ms, const Payload& payload, const std::string& cwd = "") const {
    return event::session_line({"1", format_rfc3339(at_ms), "s", cwd.empty() ? project : cwd}, payload);
  }
  std::string prompt(std::int64_t at_ms, const std::string& text = "hello", const std::string& cwd = "") const {
    event::UserInput payload;
    payload.turn_id = "t";
    payload.text = text;
    return line(at_ms, payload, cwd);
  }
  std::string answer(std::int64_t at_ms) const {
    event::AssistantOutput payload;
    payload.turn_id = payload.text = "t";
    payload.status = "completed";
    return line(at_ms, payload);
  }
  std::string title(std::int64_t at_ms, const std::string& text) const {
    event::SessionTitle payload;
    payload.title = text;
    return line(at_ms, payload);
  }
  std::string diagnostic(std::int64_t at_ms) const {
    event::Diagnostic payload;
    payload.level = "error";
    payload.message = "m";
    return line(at_ms, payload);
  }
  std::string latest(const std::string& cwd = "") const {
    const auto found = latest_eligible(home, cwd.empty() ? project : cwd);
    return !found ? found.error().what : *found ? (*found)->id : "none";
  }
};

void touch(const std::string& path, std::int64_t at_ms) {
  const timeval times[2] = {{at_ms / 1000, 0}, {at_ms / 1000, 0}};
  ASSERT_EQ(::utimes(path.c_str(), times), 0);
}

TEST(Store, IsEmptyWhereNothingExists) {
  const test::Scratch scratch;
  const Home home(scratch / "home");
  EXPECT_TRUE(list_sessions(home)->sessions.empty());
  EXPECT_FALSE(*latest_eligible(home, "/"));
  EXPECT_EQ(find_session(home, "x").error().what, "no session 'x'");
  EXPECT_FALSE(std::filesystem::exists(scratch / "home"));
}

TEST(Store, SES13FileTimesDoNotOrderSessions) {
  Store store;
  test::spill(store.path("a"), store.prompt(kNoon - kDay));
  test::spill(store.path("b"), store.prompt(kNoon));
  touch(store.path("b"), kNoon - 9 * kDay);
  EXPECT_EQ(store.latest(), "b");
  // Only where no event has a valid time.
  test::spill(store.path("c"),
              "{\"event_type\":\"user_input\",\"event_id\":\"1\",\"timestamp\":\"yesterday\",\"cwd\":\"" +
                  store.project + "\",\"payload\":{}}\n");
  touch(store.path("c"), kNoon + kDay);
  EXPECT_EQ(store.latest(), "c");
  touch(store.path("c"), kNoon - kDay);
  EXPECT_EQ(store.latest(), "b");
}

TEST(Store, SES14LocalEventsDoNotMakeASessionLatest) {
  Store store;
  test::spill(store.path("a"),
              store.prompt(kNoon - kDay) + store.title(kNoon + kDay, "new title") + store.diagnostic(kNoon + kDay));
  test::spill(store.path("b"), store.prompt(kNoon));
  EXPECT_EQ(store.latest(), "b");
  EXPECT_EQ(find_session(store.home, "a")->facts.title, "new title");
}

TEST(Store, TheEndOfATurnCountsWhereItCarriesText) {
  Store store;
  event::TurnStatus status;
  status.turn_id = "t";
  status.status = "cancelled";
  test::spill(store.path("a"), store.prompt(kNoon - kDay) + store.line(kNoon + kDay, status));
  test::spill(store.path("b"), store.prompt(kNoon));
  EXPECT_EQ(store.latest(), "b");
  status.partial_text = "so far";
  test::spill(store.path("a"), store.prompt(kNoon - kDay) + store.line(kNoon + kDay, status));
  EXPECT_EQ(store.latest(), "a");
}

TEST(Store, SES20ErrorOnlySessionsAreNotEligible) {
  Store store;
  test::spill(store.path("real"), store.prompt(kNoon - kDay) + store.answer(kNoon - kDay));
  test::spill(store.path("errors"), store.diagnostic(kNoon) + store.answer(kNoon));
  test::spill(store.path("empty"), "");
  test::spill(store.path("garbage"), "not json\n\n{}\n");
  EXPECT_EQ(store.latest(), "real");
  EXPECT_EQ(list_sessions(store.home)->sessions.size(), 4u);
}

TEST(Store, ACheckpointMakesASessionEligibleAndCountsAsItsNewestEvent) {
  Store store;
  event::Compaction checkpoint;
  checkpoint.summary = "s";
  checkpoint.generation = 1;
  checkpoint.archive = {".history/a/0.jsonl", std::string(64, 'a'), 10};
  checkpoint.carried.json = R"({"title":"Carried","first_prompt":"once"})";
  test::spill(store.path("a"), store.line(kNoon, checkpoint));
  test::spill(store.path("b"), store.prompt(kNoon - kDay));
  EXPECT_EQ(store.latest(), "a");
  EXPECT_EQ(find_session(store.home, "a")->facts.first_prompt, "once");
  checkpoint.summary = "  ";
  test::spill(store.path("a"), store.line(kNoon, checkpoint));
  EXPECT_EQ(store.latest(), "b") << "an invalid checkpoint does not";
}

TEST(Store, SES11ReadsABoundedPartOfAHugeSession) {
  Store store;
  const std::string head = store.prompt(kNoon - kDay, "huge"), tail = "\n" + store.answer(kNoon - kDay);
  const std::string path = store.path("huge");
  test::spill(path, head);
  // A hole of 4 GiB: one line of NUL bytes, so to say.
  const os::Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const off_t end = off_t{4} << 30;
  ASSERT_EQ(::pwrite(fd.get(), tail.data(), tail.size(), end), static_cast<ssize_t>(tail.size()));
  test::spill(store.path("small"), store.prompt(kNoon));
  const std::int64_t start = monotonic_ns();
  test::FaultyDisk disk(test::Fault::kEio, 0);
  EXPECT_EQ(store.latest(), "small");
  EXPECT_LT(disk.bytes_read(), 4u << 20);
  EXPECT_LT((monotonic_ns() - start) / 1'000'000, 2'000);
  const auto huge = find_session(store.home, "huge");
  ASSERT_TRUE(huge);
  EXPECT_EQ(huge->facts.first_prompt, "huge");
  EXPECT_EQ(huge->facts.newest_visible_ms, kNoon - kDay);
}

TEST(Store, APromptLongerThanTheHeadStillMakesASessionEligible) {
  Store store;
  test::spill(store.path("a"), store.prompt(kNoon, std::string(3 << 20, 'x')) + store.answer(kNoon));
  EXPECT_EQ(store.latest(), "a");
}

TEST(Store, ASidecarSavesReadingAndIsDistrustedWhenItDoesNotFit) {
  Store store;
  const os::Dir sessions = *open_sessions(store.home, Family::kPrimary, os::IfMissing::kFail);
  test::spill(store.path("a"), store.prompt(kNoon) + std::string(100'000, '\n'));
  SessionFacts facts = find_session(store.home, "a")->facts;
  facts.title = "from the sidecar";
  ASSERT_TRUE(write_sidecar(sessions, "a", Sidecar(*sessions.stamp("a.jsonl"), facts)));
  {
    test::FaultyDisk disk(test::Fault::kEio, 0);
    EXPECT_EQ(find_session(store.home, "a")->facts, facts);
    EXPECT_LT(disk.bytes_read(), 2'000u) << "the session itself is not read";
  }
  // Longer: what lies behind the described part is read.
  std::ofstream(store.path("a"), std::ios::app) << store.answer(kNoon + kDay);
  {
    test::FaultyDisk disk(test::Fault::kEio, 0);
    const SessionFacts more = find_session(store.home, "a")->facts;
    EXPECT_EQ(more.title, "from the sidecar");
    EXPECT_EQ(more.newest_visible_ms, kNoon + kDay);
    EXPECT_LT(disk.bytes_read(), 4'000u);
  }
  // Touched, cut, replaced: not believed.
  ASSERT_TRUE(write_sidecar(sessions, "a", Sidecar(*sessions.stamp("a.jsonl"), facts)));
  touch(store.path("a"), kNoon);
  EXPECT_EQ(find_session(store.home, "a")->facts.title, "");
  ASSERT_TRUE(write_sidecar(sessions, "a", Sidecar(*sessions.stamp("a.jsonl"), facts)));
  test::spill(store.path("a"), store.prompt(kNoon));
  EXPECT_EQ(find_session(store.home, "a")->facts.title, "");
  ASSERT_TRUE(write_sidecar(sessions, "a", Sidecar(*sessions.stamp("a.jsonl"), facts)));
  test::spill(store.path("a") + ".new", store.prompt(kNoon) + store.answer(kNoon));
  std::filesystem::rename(store.path("a") + ".new", store.path("a"));
  EXPECT_EQ(find_session(store.home, "a")->facts.title, "");
  for (const char* bad :
       {"", "{", "[]", "{\"schema\":2,\"inode\":1,\"length\":1,\"mtime_ns\":1}", "{\"schema\":1,\"inode\":\"x\"}"}) {
    test::spill(store.home.sidecar("a"), bad);
    EXPECT_EQ(find_session(store.home, "a")->facts.first_prompt, "hello") << bad;
  }
}

TEST(Store, PassesOverUnsafeFilesAndForeignNames) {
  Store store;
  test::spill(store.path("good"), store.prompt(kNoon));
  test::spill(store.path("loose"), store.prompt(kNoon + kDay), 0644);
  std::filesystem::create_symlink(store.path("good"), store.path("link"));
  test::spill(store.home.sessions() + "/-rf.jsonl", store.prompt(kNoon + kDay));
  test::spill(store.home.sessions() + "/*.jsonl", store.prompt(kNoon + kDay));
  test::spill(store.home.sessions() + "/notes.txt", "x");
  const auto list = list_sessions(store.home);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->sessions.size(), 1u);
  EXPECT_EQ(list->unreadable.size(), 2u);
  EXPECT_EQ(store.latest(), "good");
}

TEST(Store, TakesTheSessionsOfTheSameWorkingTree) {
  Store store;
  const auto folder = [&](const std::string& name) {
    std::filesystem::create_directories(store.scratch / name);
    return store.scratch / name;
  };
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    test::spill(path, text, 0644);
  };
  folder("repo/.git");
  folder("repo/sub/deep");
  folder("other/.git");
  // A linked worktree as `git worktree add` makes it, and a submodule, which is a tree of its own.
  write(store.scratch / "linked/.git", "gitdir: " + (store.scratch / "repo/.git/worktrees/linked") + "\n");
  write(store.scratch / "repo/.git/worktrees/linked/commondir", "../..\n");
  write(store.scratch / "repo/module/.git", "gitdir: ../.git/modules/module\n");
  folder("repo/.git/modules/module");
  std::filesystem::create_symlink("repo", store.scratch / "repo-link");

  const std::string repo = std::filesystem::canonical(store.scratch / "repo").string();
  EXPECT_EQ(worktree_of(store.scratch / "repo/sub/deep"), repo);
  EXPECT_EQ(worktree_of(store.scratch / "repo-link/sub"), repo);
  EXPECT_EQ(worktree_of(store.scratch / "linked"), repo);
  EXPECT_EQ(worktree_of(store.scratch / "repo/module"), repo + "/module");
  EXPECT_EQ(worktree_of("/nonexistent/folder"), "/nonexistent/folder");

  test::spill(store.path("sub"), store.prompt(kNoon, "p", store.scratch / "repo/sub"));
  test::spill(store.path("tree"), store.prompt(kNoon + 1, "p", store.scratch / "linked"));
  test::spill(store.path("foreign"), store.prompt(kNoon + kDay, "p", store.scratch / "other"));
  EXPECT_EQ(store.latest(store.scratch / "repo"), "tree");
  EXPECT_EQ(store.latest(store.scratch / "repo-link/sub"), "tree");
  EXPECT_EQ(store.latest(store.scratch / "other"), "foreign");
  EXPECT_EQ(store.latest(store.scratch / "repo/module"), "none");
}

TEST(Store, DescribesASessionByItsFirstPromptAndFolderAndItsNewestRest) {
  Store store;
  event::SessionPreferences preferences;
  preferences.provider = "p1";
  preferences.model = "m1";
  const std::string first = store.line(kNoon, preferences);
  preferences.provider.clear();
  preferences.model = "m2";
  test::spill(store.path("a"), first + store.prompt(kNoon, "first") + store.title(kNoon, "one") +
                                   store.prompt(kNoon - 5, "second", "/elsewhere") + store.title(kNoon, "two") +
                                   store.line(kNoon + 3, preferences, "/elsewhere"));
  SessionFacts expected;
  expected.title = "two";
  expected.first_prompt = "first";
  expected.cwd = store.project;
  expected.provider = "p1";
  expected.model = "m2";
  expected.created_ms = expected.newest_visible_ms = kNoon;
  expected.newest_ms = kNoon + 3;
  expected.eligible = true;
  EXPECT_EQ(find_session(store.home, "a")->facts, expected);
}

TEST(Store, ASidecarOfAnotherSchemaIsIgnored) {
  Store store;
  const os::Dir sessions = *open_sessions(store.home, Family::kPrimary, os::IfMissing::kFail);
  test::spill(store.path("a"), store.prompt(kNoon));
  Sidecar sidecar(*sessions.stamp("a.jsonl"), find_session(store.home, "a")->facts);
  sidecar.facts.title = "from the sidecar";
  ASSERT_TRUE(write_sidecar(sessions, "a", sidecar));
  EXPECT_EQ(find_session(store.home, "a")->facts.title, "from the sidecar");
  sidecar.schema = kSidecarSchema + 1;
  ASSERT_TRUE(write_sidecar(sessions, "a", sidecar));
  EXPECT_EQ(find_session(store.home, "a")->facts.title, "");
}

TEST(Store, DamagedLinesCostOnlyThemselves) {
  Store store;
  std::string text = store.prompt(kNoon - kDay) + std::string(512, '\0') + "\n" + "{\"cut\n" + store.answer(kNoon);
  test::spill(store.path("a"), text + "torn tail");
  const SessionInfo info = *find_session(store.home, "a");
  EXPECT_EQ(info.facts.newest_visible_ms, kNoon);
  EXPECT_TRUE(info.facts.eligible);
}

}  // namespace
}  // namespace magi::session
