#include "libcommon/session/fork.h"

#include <gtest/gtest.h>

#include "libcommon/session/ledger.h"
#include "libcommon/session/report.h"
#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

constexpr const char* kSource =
    R"({"event_type":"user_input","event_id":"a1","timestamp":"2026-11-30T10:00:01.5Z","session_id":"src","cwd":"/p","more":[1, 2],"payload":{"turn_id":"t1","text":"one \u2028"}})"
    "\n"
    R"({"event_type":"tool_result","event_id":"a2","timestamp":"2026-11-30T10:00:02Z","session_id":"src","cwd":"/p","payload":{"turn_id":"t1","call_id":"c1","result_id":"r1","status":"success","output":"a2 src"}})"
    "\n"
    "not an event\n"
    R"({"event_type":"tool_result_assessment","event_id":"a3","timestamp":"2026-11-30T10:00:03Z","session_id":"src","cwd":"/p","payload":{"result_id":"r1","call_id":"c1","session_id":"src","enforcement":"observe","coverage":"complete","verdict":"allow","stored_sha256":"00"}})"
    "\n"
    R"({"event_type":"from_the_future","event_id":"a4","payload":{"session_id":"src"}})"
    "\n"
    R"({"event_type":"user_input","event_id":"a5","timestamp":"2026-11-30T10:00:05Z","session_id":"src","cwd":"/p","payload":{"turn_id":"t2","text":"two"}})"
    "\n"
    R"({"event_type":"user_input","event_id":"a6","tim)";

class Fork : public testing::Test {
 protected:
  Fork() {
    EXPECT_TRUE(open_sessions(home, Family::kPrimary, os::IfMissing::kCreate));
    test::spill(home.session("src"), kSource);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(home.sessions()))
      if (entry.is_regular_file()) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  test::Scratch scratch;
  Home home{scratch / "home"};
};

// What must stay of a line, with the IDs of the envelope and the assessment taken out.
std::string without(std::string line, const std::string& event_id, const std::string& session_id) {
  for (const std::string& gone : {"\"event_id\":\"" + event_id + '"', "\"session_id\":\"" + session_id + '"'})
    for (std::size_t at; (at = line.find(gone)) != std::string::npos;) line.erase(at, gone.size());
  return line;
}

TEST_F(Fork, CopiesEveryEventWithNewIds) {
  const auto forked = fork_session(home, "src", {});
  ASSERT_TRUE(forked) << forked.error().what;
  EXPECT_EQ(forked->events, 5u);
  EXPECT_EQ(forked->skipped_lines, 2u);
  EXPECT_EQ(test::slurp(home.session("src")), kSource);

  const auto source = test::lines_of(kSource), copy = test::lines_of(test::slurp(home.session(forked->id)));
  ASSERT_EQ(copy.size(), 5u);
  json::Parser parser;
  std::vector<std::string> event_ids;
  for (const std::string& line : copy) {
    const auto event = event::parse_session_event(*parser.parse(line));
    ASSERT_TRUE(event) << line;
    EXPECT_EQ(event->envelope.session_id, forked->id);
    EXPECT_NE(event->envelope.event_id[0], 'a');
    event_ids.push_back(event->envelope.event_id);
  }
  EXPECT_EQ(without(copy[0], event_ids[0], forked->id), without(source[0], "a1", "src"));
  EXPECT_EQ(without(copy[1], event_ids[1], forked->id), without(source[1], "a2", "src"));
  EXPECT_EQ(without(copy[2], event_ids[2], forked->id), without(source[3], "a3", "src"))
      << "the session of an assessment is the fork's";
  EXPECT_NE(copy[3].find(R"("payload":{"session_id":"src"})"), std::string::npos) << "other payloads stay";
  EXPECT_EQ(mode_t{0600}, test::mode_of(home.session(forked->id)));
}

TEST_F(Fork, StopsBeforeAnEvent) {
  ForkOptions options;
  options.before = "a5";
  const auto forked = fork_session(home, "src", options);
  ASSERT_TRUE(forked);
  EXPECT_EQ(forked->events, 4u);
  options.before = "zz";
  EXPECT_EQ(fork_session(home, "src", options).error().code, ErrorCode::kNotFound);
  options.before = "a1";
  EXPECT_EQ(fork_session(home, "src", options).error().code, ErrorCode::kBadRecord) << "nothing would be in it";
  EXPECT_EQ(names(), (std::vector<std::string>{forked->id + ".jsonl", forked->id + ".meta.json", "event-id-sequence",
                                               "src.jsonl"}))
      << "what failed left nothing";
}

TEST_F(Fork, IsListedLikeItsSourceAndCanBeWritten) {
  ForkOptions options;
  options.finish = [](Draft& draft) -> Result<void> {
    event::Diagnostic note;
    note.level = "info";
    note.message = "forked";
    MAGI_CHECK(draft.add(note, "2026-11-30T10:00:09.000Z", "/p"));
    return {};
  };
  const auto forked = fork_session(home, "src", options);
  const auto info = find_session(home, forked->id);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->facts.first_prompt, "one \u2028");
  EXPECT_EQ(format_rfc3339(info->order_ms), "2026-11-30T10:00:05.000Z");
  std::filesystem::remove(home.sidecar(forked->id));
  EXPECT_EQ(find_session(home, forked->id)->facts.first_prompt, info->facts.first_prompt);
  auto writer = Writer::open(home, forked->id, {"/p"});
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->torn_tail_bytes(), 0u);
  EXPECT_EQ(fork_session(home, "none", {}).error().code, ErrorCode::kNotFound);
}

TEST_F(Fork, InheritsTheChangesThatTheCopiedCallsMade) {
  Ledger ledger(home, "src");
  for (const char* call_id : {"earlier", "c1", "c9"}) {
    Change change;
    change.turn_id = "t";
    change.call_id = call_id;
    change.at = "2026-11-30T10:00:00.000Z";
    change.by = "write";
    change.root = "/p";
    change.path = call_id;
    ASSERT_TRUE(ledger.record(change, ""));
  }
  EXPECT_EQ(read_ledger(home, fork_session(home, "src", {})->id)->changes.size(), 3u);
  ForkOptions options;
  options.before = "a2";
  const auto changes = read_ledger(home, fork_session(home, "src", options)->id)->changes;
  ASSERT_EQ(changes.size(), 1u) << "c1 was called behind the fork, and c9 after it";
  EXPECT_EQ(changes[0].call_id, "earlier");
}

TEST_F(Fork, WorksBesideALiveWriterOfItsSource) {
  auto writer = Writer::open(home, "src", {"/p"});
  ASSERT_TRUE(writer);
  EXPECT_TRUE(fork_session(home, "src", {}));
}

TEST_F(Fork, ReportTellsWhatASessionHolds) {
  const auto report = read_report(home, "src");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->events, 5);
  EXPECT_EQ(report->skipped_lines, 1);
  EXPECT_TRUE(report->torn_tail);
  EXPECT_FALSE(report->busy);
  ASSERT_EQ(report->prompts.size(), 2u);
  EXPECT_EQ(report->prompts[1].text, "two");
  EXPECT_EQ(report->prompts[1].event_id, "a5");
  EXPECT_EQ(report->counts.at("user_input"), 2);
  auto writer = Writer::open(home, "src", {"/p"});
  EXPECT_TRUE(read_report(home, "src")->busy);
  std::vector<std::string> seen;
  ASSERT_TRUE(each_prompt(home, "src", [&](const SessionReport::Prompt& prompt) {
    seen.push_back(prompt.text);
    return false;
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"one \u2028"}));
}

}  // namespace
}  // namespace magi::session
