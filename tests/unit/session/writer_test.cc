#include "libcommon/session/writer.h"
#include "libcommon/session/report.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <set>

#include "libcommon/base/clock.h"
#include "libcommon/json/node.h"
#include "libcommon/os/io.h"
#include "libcommon/session/sidecar.h"
#include "tests/fault/faulty_disk.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

std::int64_t fixed_now() { return 1796032801234; }

WriterOptions options(std::int64_t (*now_ms)() = &fixed_now) { return {"/project", Family::kPrimary, now_ms}; }

event::UserInput input(std::string text) {
  event::UserInput payload;
  payload.turn_id = "t1";
  payload.text = std::move(text);
  return payload;
}

event::AssistantOutput output(std::string text) {
  event::AssistantOutput payload;
  payload.turn_id = "t1";
  payload.text = std::move(text);
  payload.status = "completed";
  return payload;
}

std::string session_text(const test::Scratch& scratch, const std::string& id) {
  return test::slurp(scratch / ("home/sessions/" + id + ".jsonl"));
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    names.push_back(entry.path().lexically_relative(folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Scene {
  test::Scratch scratch;
  Home home{scratch / "home"};
};

TEST(Writer, ANewSessionLeavesNothingBeforeItsFirstAppend) {
  Scene scene;
  {
    const Writer writer = Writer::create(scene.home, options());
    EXPECT_TRUE(event::is_valid_session_id(writer.id()));
    EXPECT_EQ(writer.id().substr(0, 16), "20261130-100001-");
    EXPECT_FALSE(writer.exists());
    EXPECT_EQ(writer.lease_fd(), -1);
  }
  EXPECT_FALSE(std::filesystem::exists(scene.scratch / "home"));
}

TEST(Writer, APreparedSessionThatIsNeverUsedLeavesNoFileOfItsOwn) {
  Scene scene;
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.prepare());
    EXPECT_GE(writer.lease_fd(), 0);
    EXPECT_FALSE(writer.exists());
  }
  EXPECT_EQ(entries(scene.scratch / "home"),
            (std::vector<std::string>{"sessions", "sessions/.locks", "sessions/.locks/event-ids",
                                      "sessions/event-id-sequence"}));
}

TEST(Writer, AppendsOneLineAnEventWithItsEnvelope) {
  Scene scene;
  Writer writer = Writer::create(scene.home, options());
  const auto first = writer.append(input("a\nb\r\n\tc\x01\x1b[0m\u2028"), Durability::kRequired);
  ASSERT_TRUE(first) << first.error().what;
  const auto second = writer.append(output("fine"), Durability::kBestEffort);
  ASSERT_TRUE(second);
  const auto lines = test::lines_of(session_text(scene.scratch, writer.id()));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], R"({"event_type":"user_input","event_id":")" + *first +
                          R"(","timestamp":"2026-11-30T10:00:01.234Z","session_id":")" + writer.id() +
                          R"(","cwd":"/project","payload":{"turn_id":"t1","text":"a\nb\r\n\tc\u0001\u001b[0m)"
                          "\u2028\"}}");
  EXPECT_EQ(std::stoull(*second, nullptr, 16), std::stoull(*first, nullptr, 16) + 1);
  EXPECT_EQ(writer.stamp().length, session_text(scene.scratch, writer.id()).size());
}

TEST(Writer, RawValuesWithLineBreaksStillMakeOneLine) {
  Scene scene;
  Writer writer = Writer::create(scene.home, options());
  event::ToolResultEvent result;
  result.turn_id = result.call_id = result.result_id = "x";
  result.status = "success";
  result.details.json = "{\n  \"exit_code\": 0,\n  \"stdout\": \"a\\n\"\n}";
  ASSERT_TRUE(writer.append(result, Durability::kRequired));
  const auto lines = test::lines_of(session_text(scene.scratch, writer.id()));
  ASSERT_EQ(lines.size(), 1u);
  json::Parser parser;
  EXPECT_EQ(parser.parse(lines[0])->find("payload").find("details").find("stdout").as_string(), "a\n");
}

TEST(Writer, SEC01EverythingIsPrivateWhateverTheUmask) {
  Scene scene;
  const mode_t before = ::umask(0);
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
    Writer child = Writer::create(scene.home, {"/project", Family::kChild, &fixed_now});
    ASSERT_TRUE(child.append(input("x"), Durability::kRequired));
  }
  ::umask(before);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scene.scratch / "home")) {
    EXPECT_EQ(test::mode_of(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
    files += !entry.is_directory();
  }
  EXPECT_EQ(files, 2 + 4 + 2 + 2) << "sessions, locks, counter with lock, sidecars";
  EXPECT_EQ(test::mode_of(scene.scratch / "home"), 0700u);
}

TEST(Writer, ABatchIsOneWriteAndOneSync) {
  Scene scene;
  Writer writer = Writer::create(scene.home, options());
  ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
  test::FaultyDisk disk(test::Fault::kEio, 0);
  Batch batch;
  auto one = output("one"), two = output("two");
  batch.add(one);
  batch.add(two);
  const auto ids = writer.append_batch(std::move(batch), Durability::kRequired);
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->size(), 2u);
  EXPECT_EQ(disk.count("write"), 1);
  EXPECT_EQ(disk.count("fdatasync"), 1);
  EXPECT_EQ(disk.count("fsync"), 0);
  EXPECT_LE(disk.calls().size(), 4u) << "of these, two look whether names still stand for the open files";
  EXPECT_EQ(test::lines_of(session_text(scene.scratch, writer.id())).size(), 3u);
}

TEST(Writer, BestEffortAppendsAreSyncedWithTheNextRequiredOne) {
  Scene scene;
  Writer writer = Writer::create(scene.home, options());
  test::FaultyDisk disk(test::Fault::kEio, 0);
  ASSERT_TRUE(writer.append(output("x"), Durability::kBestEffort));
  const int counter_syncs = disk.count("fdatasync");
  const int made_folders = disk.count("fsync");
  ASSERT_TRUE(writer.append(output("y"), Durability::kBestEffort));
  EXPECT_EQ(disk.count("fdatasync"), counter_syncs);
  ASSERT_TRUE(writer.append(input("z"), Durability::kRequired));
  EXPECT_EQ(disk.count("fdatasync"), counter_syncs + 1);
  EXPECT_EQ(disk.count("fsync"), made_folders + 1) << "the name of the session";
  ASSERT_TRUE(writer.append(output("y"), Durability::kBestEffort));
  ASSERT_TRUE(writer.sync());
  ASSERT_TRUE(writer.sync());
  EXPECT_EQ(disk.count("fdatasync"), counter_syncs + 2);
}

TEST(Writer, AFirstAppendCostsFewSyncs) {
  Scene scene;
  { ASSERT_TRUE(Writer::create(scene.home, options()).prepare()); }
  test::FaultyDisk disk(test::Fault::kEio, 0);
  Writer writer = Writer::create(scene.home, options());
  ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
  EXPECT_EQ(disk.count("fdatasync"), 2) << "the block of event IDs, the record";
  EXPECT_EQ(disk.count("fsync"), 1) << "the name of the session";
  EXPECT_LE(disk.calls().size(), 40u);
}

TEST(Writer, AResumedSessionHasItsNameSyncedOnce) {
  Scene scene;
  std::string id;
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.append(input("x"), Durability::kBestEffort));
    id = writer.id();
  }
  auto writer = Writer::open(scene.home, id, options());
  ASSERT_TRUE(writer);
  test::FaultyDisk disk(test::Fault::kEio, 0);
  ASSERT_TRUE(writer->append(input("y"), Durability::kRequired));
  ASSERT_TRUE(writer->append(input("z"), Durability::kRequired));
  EXPECT_EQ(disk.count("fsync"), 1);
}

TEST(Writer, HoldsTheLeaseUntilItIsDestroyed) {
  Scene scene;
  std::string id;
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
    id = writer.id();
    const std::int64_t start = monotonic_ns();
    const auto second = Writer::open(scene.home, id, options());
    EXPECT_LT((monotonic_ns() - start) / 1'000'000, 3'000);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kBusy);
    EXPECT_EQ(second.error().what, "session '" + id + "' is in use by another process");
    Writer moved = std::move(writer);
    EXPECT_EQ(moved.id(), id);
  }
  EXPECT_TRUE(Writer::open(scene.home, id, options()));
}

TEST(Writer, ResumesWhatAKilledWriterLeft) {
  Scene scene;
  auto pipe = os::make_pipe();
  const pid_t pid = test::in_child([&] {
    Writer writer = Writer::create(scene.home, options());
    if (!writer.append(input("kept"), Durability::kRequired)) return 1;
    if (!os::write_all(pipe->write.get(), writer.id())) return 1;
    pipe->write.reset();
    while (true) ::pause();
  });
  pipe->write.reset();
  const std::string id = *os::read_all(pipe->read.get(), 200);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(test::exit_of(pid), 128 + SIGKILL);
  auto writer = Writer::open(scene.home, id, options());
  ASSERT_TRUE(writer) << writer.error().what;
  EXPECT_TRUE(writer->exists());
  EXPECT_EQ(writer->facts().first_prompt, "kept");
  EXPECT_EQ(writer->torn_tail_bytes(), 0u);
  ASSERT_TRUE(writer->append(output("more"), Durability::kRequired));
  EXPECT_EQ(test::lines_of(session_text(scene.scratch, id)).size(), 2u);
}

TEST(Writer, PutsATornTailOnALineOfItsOwnAndReportsIt) {
  Scene scene;
  std::string id;
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.append(input("whole"), Durability::kRequired));
    id = writer.id();
  }
  const std::string path = scene.scratch / ("home/sessions/" + id + ".jsonl");
  const std::string whole = test::slurp(path), torn = whole.substr(0, 60);
  test::spill(path, whole + torn);
  {
    auto writer = Writer::open(scene.home, id, options());
    ASSERT_TRUE(writer);
    EXPECT_EQ(writer->torn_tail_bytes(), torn.size());
    ASSERT_TRUE(writer->append(output("next"), Durability::kRequired));
  }
  const auto lines = test::lines_of(test::slurp(path));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], torn);
  // A whole event that only lacks its LF is a record, not a torn tail.
  test::spill(path, whole + whole.substr(0, whole.size() - 1));
  auto writer = Writer::open(scene.home, id, options());
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->torn_tail_bytes(), 0u);
  ASSERT_TRUE(writer->append(output("next"), Durability::kRequired));
  EXPECT_EQ(test::lines_of(test::slurp(path)).size(), 3u);
}

TEST(Writer, ALongRecordIsARecordWithOrWithoutItsLf) {
  Scene scene;
  std::string id;
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.append(input("whole"), Durability::kRequired));
    id = writer.id();
  }
  const std::string path = scene.scratch / ("home/sessions/" + id + ".jsonl");
  std::string text = test::slurp(path);
  const std::size_t at = text.find("whole");
  text.insert(at, std::string(70u << 20, 'x'));
  test::spill(path, text.substr(0, text.size() - 1));
  auto writer = Writer::open(scene.home, id, options());
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->torn_tail_bytes(), 0u);
  const auto report = read_report(scene.home, id);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->events, 1);
}

TEST(Writer, MasksSecretsInPlaceBeforeTheyAreStored) {
  Scene scene;
  const std::string secret = std::string("gh") + "p_" + std::string(36, 'Z');
  Writer writer = Writer::create(scene.home, options());
  auto payload = input("use " + secret);
  ASSERT_TRUE(writer.append(payload, Durability::kRequired));
  EXPECT_EQ(payload.text, "use [masked secret: GitHub token]");
  const auto constant = output(secret);
  ASSERT_TRUE(writer.append(constant, Durability::kRequired));
  EXPECT_EQ(constant.text, secret);
  writer.save_sidecar();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scene.scratch / "home"))
    EXPECT_TRUE(!entry.is_regular_file() || test::slurp(entry.path()).find(secret) == std::string::npos)
        << entry.path();
  json::Parser parser;
  EXPECT_EQ(parser.parse(test::lines_of(session_text(scene.scratch, writer.id()))[0])
                ->find("payload")
                .find("masked_secrets")
                .as_int(),
            1);
}

TEST(Writer, RefusesUnsafeSessionsAndSaysWhichRule) {
  Scene scene;
  std::string id;
  {
    Writer writer = Writer::create(scene.home, options());
    ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
    id = writer.id();
  }
  const std::string path = scene.scratch / ("home/sessions/" + id + ".jsonl");
  ::chmod(path.c_str(), 0644);
  EXPECT_EQ(Writer::open(scene.home, id, options()).error().code, ErrorCode::kUnsafe);
  ::chmod(path.c_str(), 0600);
  std::filesystem::rename(path, path + ".real");
  std::filesystem::create_symlink(path + ".real", path);
  EXPECT_EQ(Writer::open(scene.home, id, options()).error().what, "refusing '" + path + "': a link is not followed");
  EXPECT_EQ(Writer::open(scene.home, "../x", options()).error().code, ErrorCode::kUsage);
  EXPECT_EQ(Writer::open(scene.home, "nosuch", options()).error().what, "no session 'nosuch'");
  EXPECT_FALSE(std::filesystem::exists(scene.scratch / "home/sessions/.locks/nosuch.lease"));
}

TEST(Writer, SES16FollowsLinksAboveTheHomeButNotAtSessions) {
  test::Scratch scratch;
  std::filesystem::create_directory(scratch / "real");
  std::filesystem::create_symlink("real", scratch / "lnk");
  std::string id;
  {
    Writer writer = Writer::create(Home(scratch / "lnk/.magi-code"), options());
    ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
    id = writer.id();
  }
  EXPECT_TRUE(Writer::open(Home(scratch / "real/.magi-code"), id, options()));
  std::filesystem::rename(scratch / "real/.magi-code/sessions", scratch / "elsewhere");
  std::filesystem::create_symlink(scratch / "elsewhere", scratch / "real/.magi-code/sessions");
  const std::string rule = "refusing '" + (scratch / "real/.magi-code/sessions") + "': a link in place of a folder";
  EXPECT_EQ(Writer::open(Home(scratch / "real/.magi-code"), id, options()).error().what, rule);
  Writer fresh = Writer::create(Home(scratch / "real/.magi-code"), options());
  const auto refused = fresh.append(input("x"), Durability::kRequired);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "cannot save session '" + fresh.id() + "': " + rule);
}

TEST(Writer, KeepsTheSidecarThatListingNeeds) {
  Scene scene;
  std::string id;
  {
    Writer writer = Writer::create(scene.home, {scene.scratch.path(), Family::kPrimary, &fixed_now});
    id = writer.id();
    ASSERT_TRUE(writer.append(input("first prompt"), Durability::kRequired));
    event::SessionTitle title;
    title.title = "A title";
    ASSERT_TRUE(writer.append(title, Durability::kBestEffort));
    event::SessionPreferences preferences;
    preferences.provider = "scripted";
    preferences.model = "m1";
    ASSERT_TRUE(writer.append(preferences, Durability::kBestEffort));
    const os::Dir sessions = *open_sessions(scene.home, Family::kPrimary, os::IfMissing::kFail);
    EXPECT_FALSE(read_sidecar(sessions, id));
    writer.save_sidecar();
    EXPECT_TRUE(read_sidecar(sessions, id));
    ASSERT_TRUE(writer.append(output("answer"), Durability::kRequired));
  }
  const os::Dir sessions = *open_sessions(scene.home, Family::kPrimary, os::IfMissing::kFail);
  const auto sidecar = read_sidecar(sessions, id);
  ASSERT_TRUE(sidecar);
  EXPECT_TRUE(sidecar->describes(*sessions.stamp(id + ".jsonl")));
  SessionFacts expected;
  expected.title = "A title";
  expected.first_prompt = "first prompt";
  expected.cwd = scene.scratch.path();
  expected.worktree = std::filesystem::canonical(scene.scratch.path()).string();
  expected.provider = "scripted";
  expected.model = "m1";
  expected.created_ms = expected.newest_visible_ms = expected.newest_ms = fixed_now();
  expected.eligible = true;
  EXPECT_EQ(sidecar->facts, expected);
  // A scan of the file finds the same, but for the working tree, which a reader works out itself.
  const os::Fd fd = *sessions.open_file(id + ".jsonl", os::FileUse::kRead);
  expected.worktree.clear();
  EXPECT_EQ(*scan_facts(fd.get(), sidecar->length, "x"), expected);
}

TEST(Writer, DoesNotVouchForWhatOthersAppended) {
  Scene scene;
  Writer writer = Writer::create(scene.home, options());
  ASSERT_TRUE(writer.append(input("x"), Durability::kRequired));
  std::ofstream(scene.home.session(writer.id()), std::ios::app) << "{\"foreign\":1}\n";
  writer.save_sidecar();
  EXPECT_FALSE(std::filesystem::exists(scene.home.sidecar(writer.id())));
}

TEST(Writer, ChildSessionsShareTheEventNumbers) {
  Scene scene;
  Writer parent = Writer::create(scene.home, options());
  Writer child = Writer::create(scene.home, {"/project", Family::kChild, &fixed_now});
  const auto a = parent.append(input("x"), Durability::kRequired), b = child.append(input("y"), Durability::kRequired);
  ASSERT_TRUE(a && b);
  EXPECT_NE(*a, *b);
  EXPECT_TRUE(std::filesystem::exists(scene.scratch / ("home/sessions/subagents/" + child.id() + ".jsonl")));
  EXPECT_TRUE(std::filesystem::exists(scene.scratch / ("home/sessions/subagents/.locks/" + child.id() + ".lease")));
  EXPECT_FALSE(std::filesystem::exists(scene.scratch / "home/sessions/subagents/event-id-sequence"));
}

TEST(Writer, FollowsARotationOfItsFile) {
  Scene scene;
  Writer writer = Writer::create(scene.home, options());
  ASSERT_TRUE(writer.append(input("old"), Durability::kRequired));
  const std::string path = scene.scratch / ("home/sessions/" + writer.id() + ".jsonl");
  event::Compaction checkpoint;
  checkpoint.summary = "what happened";
  checkpoint.generation = 1;
  checkpoint.trigger = "manual";
  checkpoint.archive = {".history/" + writer.id() + "/0.jsonl", std::string(64, 'a'), 10};
  checkpoint.carried.json =
      R"({"title":"T","first_prompt":"old","worktree":"/w","preferences":{"provider":"p","model":"m"}})";
  test::spill(path + ".new",
              event::session_line({"1", "2026-11-30T10:00:05.000Z", writer.id(), "/project"}, checkpoint));
  std::filesystem::rename(path + ".new", path);
  const os::FileStamp before = writer.stamp();
  ASSERT_TRUE(writer.reload());
  EXPECT_NE(writer.stamp().inode, before.inode);
  EXPECT_EQ(writer.facts().generation, 1);
  EXPECT_EQ(writer.facts().title, "T");
  EXPECT_EQ(writer.facts().first_prompt, "old");
  EXPECT_EQ(writer.facts().worktree, "/w");
  EXPECT_TRUE(writer.facts().eligible);
  ASSERT_TRUE(writer.append(output("after"), Durability::kRequired));
  EXPECT_EQ(test::lines_of(test::slurp(path)).size(), 2u);
}

TEST(CheckHome, CLI12SaysWhatIsWrongAndTouchesNothing) {
  test::Scratch scratch;
  std::filesystem::create_symlink("nowhere", scratch / "dangling");
  test::spill(scratch / "file", "");
  EXPECT_TRUE(check_home(Home(scratch / "missing")));
  EXPECT_TRUE(check_home(Home(scratch.path())));
  EXPECT_EQ(check_home(Home(scratch / "dangling")).error().what,
            "refusing '" + (scratch / "dangling") + "': a dangling link");
  EXPECT_EQ(check_home(Home(scratch / "file")).error().what, "refusing '" + (scratch / "file") + "': not a folder");
  EXPECT_EQ(exit_status(check_home(Home(scratch / "file")).error().code), kExitUsage);
  EXPECT_EQ(entries(scratch.path()), (std::vector<std::string>{"dangling", "file"}));
}

}  // namespace
}  // namespace magi::session
