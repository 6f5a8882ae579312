#include <gtest/gtest.h>

#include "libcommon/context/stream_renderer.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

std::string notice(const Replayed& replayed, std::string_view start) {
  for (const std::string& text : replayed.notices)
    if (text.substr(0, start.size()) == start) return text;
  return "";
}

TEST(Replay, ResultsStandBehindTheirGroupInCallOrder) {
  const auto r = replay(user("t", "go") + call("t", "c1") + call("t", "c2") + result("t", "c2", "two") +
                        result("t", "c1", "one") + assistant("t", "done"));
  EXPECT_EQ(r.outline(),
            "user go\ntool_call c1\ntool_call c2\ntool_result c1 one\ntool_result c2 two\nassistant done\n");
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_TRUE(r.notices.empty());
}

TEST(Replay, AResultOrAVisibleEventEndsAGroupAndALocalOneDoesNot) {
  const auto r = replay(call("t", "c1") + line("diagnostic", "1", R"({"level":"info","message":"x"})") +
                        call("t", "c2") + assistant("t", "x") + call("t", "c3") + result("t", "c3", "3") +
                        call("t", "c4") + result("t", "c1", "1") + result("t", "c2", "2") + result("t", "c4", "4"));
  EXPECT_EQ(r.outline(),
            "tool_call c1\ntool_call c2\ntool_result c1 1\ntool_result c2 2\nassistant x\ntool_call c3\n"
            "tool_result c3 3\ntool_call c4\ntool_result c4 4\n");
}

TEST(Replay, ACallWithoutAResultIsAnsweredAsInterrupted) {
  const auto r = replay(user("t", "go") + call("t", "c1"));
  ASSERT_EQ(r.records.size(), 3u);
  std::string want;
  event::append_record(
      want, event::ToolResult{"c1", "interrupted-c1", "cancelled", std::string(kInterruptedOutput), "", {}, {}});
  EXPECT_EQ(r.records[2] + "\n", want);
  EXPECT_EQ(notice(r, "calls without"), "calls without a result, answered as cancelled: line 2 ('c1')");
}

TEST(Replay, AResultWithoutACallIsLeftOut) {
  const auto r = replay(user("t", "go") + result("t", "c9", "stray") + assistant("t", "ok"));
  EXPECT_EQ(r.outline(), "user go\nassistant ok\n");
  EXPECT_EQ(notice(r, "results without"), "results without a call, left out: line 2 ('c9')");
}

TEST(Replay, AResultBeforeItsCallIsFoundAndALaterOneIsPreferred) {
  EXPECT_EQ(replay(result("t", "c1", "early") + call("t", "c1")).outline(), "tool_call c1\ntool_result c1 early\n");
  const auto r = replay(result("t", "c1", "early") + call("t", "c1") + result("t", "c1", "late"));
  EXPECT_EQ(r.outline(), "tool_call c1\ntool_result c1 late\n");
  EXPECT_NE(notice(r, "results without"), "");
}

TEST(Replay, ASecondResultAndARepeatedCallAreLeftOut) {
  const auto r = replay(call("t", "c1") + call("t", "c1") + result("t", "c1", "1") + result("t", "c1", "2"));
  EXPECT_EQ(r.outline(), "tool_call c1\ntool_result c1 1\n");
  EXPECT_EQ(notice(r, "repeated"), "repeated calls, left out: line 2 ('c1')");
  EXPECT_EQ(notice(r, "results without"), "results without a call, left out: line 4 ('c1')");
}

TEST(Replay, CallIdsMayBeUsedAgain) {
  const auto r = replay(call("t", "c") + result("t", "c", "1") + call("t", "c") + result("t", "c", "2") +
                        call("u", "c") + assistant("u", "x") + call("u", "c") + result("u", "c", "3"));
  EXPECT_EQ(r.outline().substr(0, 56), "tool_call c\ntool_result c 1\ntool_call c\ntool_result c 2\n");
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_EQ(notice(r, "calls without"), "calls without a result, answered as cancelled: line 5 ('c')");
}

TEST(Replay, InnerCallsOfATurnAreNotSeen) {
  const auto r =
      replay(call("t", "outer") +
             line("tool_call", "1",
                  R"({"turn_id":"t","call_id":"in","name":"read","arguments":"{}","parent_call_id":"outer"})") +
             result("t", "in", "inner") + line("code_mode_tool_call", "2", R"({"call_id":"x"})") +
             line("code_mode_context", "3", R"({"text":"notes"})") + result("t", "outer", "out"));
  EXPECT_EQ(r.outline(), "tool_call outer\ntool_result outer out\ncontext notes code_mode\n");
  EXPECT_TRUE(r.notices.empty());
}

TEST(Replay, TheTextOfATurnStandsOnce) {
  const std::string end = R"({"turn_id":"t","status":"cancelled","partial_text":"half"})";
  EXPECT_EQ(replay(user("t", "go") + line("turn_status", "1", end)).outline(), "user go\nassistant half\n");
  EXPECT_EQ(replay(user("t", "go") + assistant("t", "half") + line("turn_status", "1", end)).outline(),
            "user go\nassistant half\n");
  EXPECT_EQ(replay(user("t", "go") + assistant("t", "other") + line("turn_status", "1", end)).outline(),
            "user go\nassistant other\nassistant half\n");
}

TEST(Replay, OnlyAValidCheckpointReplacesWhatStandsBeforeIt) {
  const auto r = replay(user("t", "a") + checkpoint(1, "one") + user("u", "b") + checkpoint(1, "again") +
                        checkpoint(2, " \n\xC2\xA0") + user("v", "c"));
  EXPECT_EQ(r.outline().substr(0, 21), "summary one\nevidence ");
  EXPECT_NE(r.outline().find("user b\nuser c\n"), std::string::npos);
  EXPECT_NE(r.stream.find(R"("generation":1)"), std::string::npos);
  EXPECT_EQ(notice(r, "passed over"),
            "passed over an invalid checkpoint: line 4 (its generation is not above that of the one before it), "
            "line 5 (its summary is blank)");
}

// CMP-02: two chained compactions, results whose calls are gone.
TEST(Replay, ResultsOfCallsBehindACheckpointAreDropped) {
  const auto r = replay(call("t", "A") + checkpoint(1, "one") + call("t", "B") + checkpoint(2, "two") +
                        result("t", "A", "a") + result("t", "B", "b") + user("u", "next"));
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_EQ(r.outline().find("tool_"), std::string::npos);
  EXPECT_EQ(notice(r, "results without"), "results without a call, left out: line 5 ('A'), line 6 ('B')");
}

TEST(Replay, MissingEffectsAreIncompleteEvidence) {
  std::string text = checkpoint(1, "one");
  text.replace(text.find("{\"mutations\":1}"), 15, "[1]");
  const auto r = replay(text);
  ASSERT_EQ(r.records.size(), 2u);
  EXPECT_NE(r.records[1].find("incomplete"), std::string::npos);
  EXPECT_EQ(r.records[1].find("effects\":"), std::string::npos);
}

TEST(Replay, LongOutputsAreCutOnceTheirTurnIsOver) {
  const std::string output(24'001, 'x');
  const std::string turn = user("t", "a") + call("t", "c") + result("t", "c", output);
  const auto is_cut = [](const std::string& session) {
    return replay(session).stream.find("\"omitted_chars\":12001") != std::string::npos;
  };
  EXPECT_FALSE(is_cut(turn));
  EXPECT_FALSE(is_cut(turn + user("t", "steering")));
  EXPECT_FALSE(is_cut(turn + turn_end("other")));
  EXPECT_TRUE(is_cut(turn + turn_end("t", "failed")));
  EXPECT_TRUE(is_cut(turn + user("u", "b")));
  EXPECT_TRUE(is_cut(turn + user("u", "b") + user("t", "steering")));
  EXPECT_FALSE(is_cut(user("t", "a") + call("t", "c") + result("t", "c", output.substr(1)) + user("u", "b")));
}

// SHL-07: thirty thousand four-byte characters behind 0 to 3 ASCII bytes.
TEST(Replay, CutsFallBetweenCharacters) {
  for (std::size_t lead = 0; lead < 4; ++lead) {
    for (const std::string character : {"\xF0\x9F\x98\x80", "\\ud83d\\ude00"}) {
      std::string output(lead, 'x');
      for (int i = 0; i < 30'000; ++i) output += character;
      const std::string payload =
          R"({"turn_id":"t","call_id":"c","result_id":"r","status":"success","output":")" + output + "\"}";
      const auto r = replay(call("t", "c") + line("tool_result", "1", payload) + turn_end("t"));
      EXPECT_EQ(complaint(r.stream), "");
      EXPECT_NE(r.stream.find("\"omitted_chars\":" + std::to_string(18'000 + lead)), std::string::npos);
      EXPECT_NE(r.stream.find(character + "\\n[... "), std::string::npos);
      EXPECT_NE(r.stream.find("...]\\n" + character), std::string::npos);
      EXPECT_EQ(r.stream.find("\xEF\xBF\xBD"), std::string::npos);
    }
  }
}

TEST(Replay, TheViewIsWhatTheModelWasShown) {
  const auto r = replay(
      call("t", "c") +
      line("tool_result", "1",
           R"({"turn_id":"t","call_id":"c","result_id":"r","status":"success","output":"all of it","view":"part"})"));
  EXPECT_EQ(r.outline(), "tool_call c\ntool_result c part\n");
}

TEST(Replay, AnEmptyFailedSearchShowsItsDiagnostics) {
  const auto shown = [](const std::string& name, const std::string& status) {
    return replay(line("tool_call", "1", R"({"turn_id":"t","call_id":"c","name":")" + name + R"(","arguments":"{}"})") +
                  line("tool_result", "2",
                       R"({"turn_id":"t","call_id":"c","result_id":"r","status":")" + status +
                           R"(","output":"","details":{"stdout":"out","stderr":"bad pattern"}})"))
        .outline();
  };
  EXPECT_EQ(shown("grep", "error"), "tool_call c\ntool_result c bad pattern\nout\n");
  EXPECT_EQ(shown("grep", "success"), "tool_call c\ntool_result c \n");
  EXPECT_EQ(shown("bash", "error"), "tool_call c\ntool_result c \n");
}

TEST(Replay, StopsBeforeAnEvent) {
  const auto r =
      replay(user("t", "one") + line("assistant_output", "ff", R"({"turn_id":"t","text":"x","status":"completed"})") +
                 "garbage\n" + user("t", "two"),
             "ff");
  EXPECT_EQ(r.outline(), "user one\n");
  EXPECT_EQ(r.end.read->events, 1);
  EXPECT_EQ(r.end.read->skipped_lines, 0);
  EXPECT_EQ(replay(user("t", "one"), "abc").error, "no event 'abc'");
}

TEST(Replay, TextsAreCopiedAndHalfPairsReplaced) {
  const auto r = replay(line("user_input", "1", R"({"turn_id":"t","text":"\u00e9\/\ud83d\ude00 \ud800 \\ud800"})") +
                        line("provider_response_item", "2",
                             R"({"turn_id":"t","provider":"p","item":{ "a" : [1, 2.50], "b":"x \u0000 \udfff y" }})"));
  ASSERT_EQ(r.records.size(), 2u);
  EXPECT_NE(r.records[0].find(R"("text":"\u00e9\/\ud83d\ude00 )"
                              "\xEF\xBF\xBD"
                              R"( \\ud800")"),
            std::string::npos);
  EXPECT_NE(r.records[1].find(R"("item":{"a":[1,2.50],"b":"x \u0000 )"
                              "\xEF\xBF\xBD"
                              R"( y"})"),
            std::string::npos);
}

TEST(Replay, PartsAreCopiedWhereAReaderAcceptsThem) {
  const auto with = [](const std::string& parts) {
    return replay(line("user_input", "1", R"({"turn_id":"t","text":"x","origin":7,"parts":)" + parts + "}"));
  };
  const std::string image = R"([{"type":"image","media_type":"image/png","bytes":3,"path":"a.png"}])";
  EXPECT_NE(with(image).stream.find("\"parts\":" + image), std::string::npos);
  for (const char* bad :
       {"[1]", "{}", "\"x\"", R"([{"media_type":"image/png"}])", R"([{"type":"image","bytes":"3"}])", "[]"}) {
    const auto r = with(bad);
    EXPECT_EQ(complaint(r.stream), "") << bad;
    EXPECT_EQ(r.outline(), "user x\n");
    EXPECT_EQ(r.stream.find("parts"), std::string::npos) << bad;
  }
}

TEST(Replay, BadLinesCostThemselvesAlone) {
  std::string session = user("t", "one");
  for (int i = 0; i < 14; ++i) session += "{\"event_type\":\n";
  session += std::string(512, '\0') + "\n" + assistant("t", "two") + line("user_input", "x", R"({"turn_id":"t"})") +
             R"({"event_type":"assistant_output","event_id":)";
  const auto r = replay(session);
  EXPECT_EQ(r.outline(), "user one\nassistant two\n");
  EXPECT_EQ(r.end.read->events, 2);
  EXPECT_EQ(r.end.read->skipped_lines, 16);
  EXPECT_TRUE(r.end.read->torn_tail);
  EXPECT_NE(notice(r, "skipped bad lines: line 2 ("), "");
  EXPECT_NE(notice(r, "skipped bad lines").find(" and 6 more"), std::string::npos);
  EXPECT_EQ(notice(r, "left out the incomplete"), "left out the incomplete last record (torn tail): line 19");
}

TEST(Replay, AWholeLastLineWithoutLfIsARecord) {
  std::string session = user("t", "one");
  session.pop_back();
  const auto r = replay(session);
  EXPECT_EQ(r.outline(), "user one\n");
  EXPECT_FALSE(r.end.read->torn_tail);
}

TEST(Replay, NamesTheModelThatTheSessionPrefers) {
  const auto first = [](const std::string& session) { return replay(session).stream.substr(0, 200); };
  const std::string usage = line("session_usage", "1", R"({"provider":"p0","model":"m0"})");
  const std::string wish = line("session_preferences", "2", R"({"provider":"p1","model":"m1"})");
  EXPECT_NE(first(usage).find(R"("provider":"p0","model":"m0"})"), std::string::npos);
  EXPECT_NE(first(wish + usage).find(R"("provider":"p1","model":"m1"})"), std::string::npos);
}

}  // namespace
}  // namespace magi::context::test
