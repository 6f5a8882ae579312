#include <gtest/gtest.h>

#include "tests/unit/tui_transcript/drawn.h"
#include "tests/unit/tui_transcript/events.h"

namespace magi::code::tui {
namespace {

using std::string_literals::operator""s;

TEST(Transcript, APromptAndItsAnswer) {
  Transcript transcript;
  transcript.prompt("hello\nthere");
  transcript.text("Some **bold** ");
  transcript.text("text.\n\n- a\n- b\n");
  transcript.turn({"t", "completed"});
  EXPECT_EQ(drawn(transcript), "  ❯ hello\n    there\n\n  Some bold text.\n\n  • a\n  • b\n");
}

TEST(Transcript, UnfinishedTurnsAreMarked) {
  Transcript transcript;
  transcript.text("half");
  transcript.turn({"t", "cancelled"});
  transcript.text("other half");
  transcript.turn({"u", "failed"});
  transcript.text("third");
  transcript.automatic_user_prompt({"cut off", "continue"});
  transcript.turn({"v", "cancelled"});
  EXPECT_EQ(drawn(transcript),
            "  half\n  ⊘ interrupted here\n\n  other half\n  ✗ failed here, the answer is not complete\n\n  third\n"
            "  ⋯ cut off here\n\n  you [automatic]: continue (cut off)\n\n  ⚠ interrupted\n");
}

TEST(Transcript, AToolLivesAndFolds) {
  Transcript transcript;
  transcript.now(1000);
  transcript.tool_progress(progress("c1", "", "bash"));
  EXPECT_EQ(drawn(transcript), "  ⠋ bash · being written\n");
  transcript.tool_call(call("c1", "bash", R"({"command":"make test"})"));
  transcript.now(3500);
  EXPECT_TRUE(transcript.animates());
  EXPECT_EQ(drawn(transcript), "  ⠋ bash make test · 2.5 s\n");
  transcript.tool_progress(progress("c1", "one\ntwo\nthree\n"));
  transcript.tool_progress(progress("c1", "4\n5\n6\n7\n"));
  EXPECT_EQ(drawn(transcript),
            "  ⠋ bash make test · 2.5 s · 22 bytes\n    │ two\n    │ three\n    │ 4\n    │ 5\n    │ 6\n    │ 7\n");
  auto result = answer("c1", "success", "one\ntwo\nthree\n", R"({"exit_code":0})");
  result.duration_ms = 2400;
  transcript.tool_result(result);
  EXPECT_FALSE(transcript.animates());
  EXPECT_EQ(drawn(transcript), "  ✓ bash make test · 2.4 s · 3 lines\n");
  EXPECT_TRUE(transcript.toggle_fold());
  EXPECT_EQ(drawn(transcript),
            "  ✓ bash make test · 2.4 s\n    │ command: make test\n    │ one\n    │ two\n    │ three\n");
  EXPECT_TRUE(transcript.toggle_fold());
  EXPECT_EQ(drawn(transcript), "  ✓ bash make test · 2.4 s · 3 lines\n");
}

TEST(Transcript, FailuresAreShownWithTheirEnd) {
  Transcript transcript;
  std::string output;
  for (int i = 1; i <= 30; ++i) output += "line " + std::to_string(i) + "\n";
  transcript.tool_call(call("c1", "bash", R"({"command":"false"})"));
  auto failed = answer("c1", "error", output, R"({"exit_code":3})");
  failed.omitted_bytes = 12'345;
  transcript.tool_result(failed);
  transcript.tool_call(call("c2", "bash", R"({"command":"loop"})"));
  transcript.tool_result(answer("c2", "error", "", R"({"signal":"SIGKILL"})"));
  transcript.tool_call(call("c3", "bash", R"({"command":"sleep"})"));
  transcript.tool_result(answer("c3", "timed_out", ""));
  const std::string text = drawn(transcript);
  EXPECT_EQ(text.substr(0, text.find("line 12")),
            "  ✗ bash false · failed · exit 3 · 0 ms · 12.3 kB omitted\n    │ … 10 lines above\n    │ line 11\n    │ ");
  EXPECT_NE(text.find("line 30\n  ✗ bash loop · failed · SIGKILL · 0 ms\n  ✗ bash sleep · timed out · 0 ms\n"),
            std::string::npos)
      << text;
}

TEST(Transcript, EditsAreDiffsWithTheirLines) {
  Transcript transcript;
  transcript.tool_call(
      call("e", "edit", R"({"path":"src/a.py","old_text":"a = 1\nb = 2\n","new_text":"a = 1\nb = 3\n"})"));
  transcript.tool_result(answer("e", "success", "edited src/a.py: 1 replacement at line 7\n"));
  EXPECT_EQ(drawn(transcript),
            "  ✓ edit src/a.py +1 -1 · 0 ms\n    │ 7 7   a = 1\n    │ 8   - b = 2\n    │   8 + b = 3\n");
  transcript.tool_call(call("w", "write", R"({"path":"n.txt","content":"x\ny\n"})"));
  transcript.tool_result(answer("w", "error", "cannot write"));
  EXPECT_NE(drawn(transcript)
                .find("  ✗ write n.txt +2 -0 · failed · 0 ms\n    │   1 + x\n    │   2 + y\n    │ cannot write\n"),
            std::string::npos)
      << drawn(transcript);
}

TEST(Transcript, SeveralEditsOfOneCall) {
  Transcript transcript;
  transcript.tool_call(
      call("e", "edit", R"({"path":"a","edits":[{"old_text":"x","new_text":"y"},{"old_text":"p","new_text":""}]})"));
  transcript.tool_result(answer("e", "success", "edited a: 2 replacements at lines 3, 120"));
  EXPECT_EQ(drawn(transcript),
            "  ✓ edit a +1 -2 · 0 ms\n    │   3     - x\n    │       3 + y\n    │ ⋯\n    │ 120     - p\n");
}

TEST(Transcript, CallsWithoutAnAnswerEndWithTheirTurn) {
  Transcript transcript;
  transcript.tool_call(call("c", "bash", R"({"command":"x"})"));
  transcript.tool_progress(progress("c", "some\n"));
  transcript.turn({"t", "cancelled"});
  EXPECT_FALSE(transcript.animates());
  EXPECT_EQ(drawn(transcript), "  ⊘ bash x · cancelled · 0 ms\n    │ some\n\n  ⚠ interrupted\n");
}

TEST(Transcript, ApprovalsAreMentioned) {
  Transcript transcript;
  transcript.tool_call(call("c", "bash", R"({"command":"rm x"})"));
  ApprovalRequest request;
  request.call_id = "c";
  transcript.approval_request(request);
  EXPECT_EQ(drawn(transcript), "  ? bash rm x · waits for your approval\n");
  transcript.approval_answered("c", "deny", "too dangerous");
  transcript.tool_result(answer("c", "error", "refused"));
  EXPECT_EQ(drawn(transcript), "  ✗ bash rm x · failed · 0 ms · refused: too dangerous\n    │ refused\n");
}

TEST(Transcript, OneCardPerCompaction) {  // V1
  Transcript transcript;
  transcript.now(0);
  transcript.compaction(compaction("started"));
  transcript.now(3000);
  EXPECT_EQ(drawn(transcript), "  ⠋ compacting the context (automatic) · 3.0 s\n");
  transcript.compaction(compaction("completed", "## Goal\n\n- keep the **tests**\n"));
  const std::string expected =
      "  ◆ context compacted (automatic) · 180,000 → 24,000 tokens · generation 2\n  Goal\n\n  • keep the tests\n";
  EXPECT_EQ(drawn(transcript), expected);
  transcript.turn({"t", "cancelled"});
  transcript.compaction(compaction("started"));
  auto failed = compaction("failed");
  failed.error = "no answer";
  transcript.compaction(failed);
  EXPECT_EQ(drawn(transcript), expected + "\n  ⚠ interrupted\n\n  ✗ compaction failed (automatic): no answer\n");
}

TEST(Transcript, ReopeningRebuildsTheCards) {  // V1
  Transcript transcript;
  event::Summary summary;
  summary.text = "## Goal\n\nDone so far.";
  summary.generation = 2;
  transcript.history(summary);
  event::Evidence evidence;
  evidence.text = "files read: a";
  transcript.history(evidence);
  event::User user;
  user.text = "go on";
  transcript.history(user);
  transcript.history(call("c", "bash", R"({"command":"ls"})"));
  transcript.history(call("d", "bash", R"({"command":"pwd"})"));
  event::ToolResult result;
  result.call_id = "c";
  result.status = "success";
  result.output = "a\nb\n";
  transcript.history(result);
  event::Assistant assistant;
  assistant.text = "partly";
  assistant.status = "failed";
  transcript.history(assistant);
  transcript.history_ended();
  EXPECT_EQ(drawn(transcript),
            "  ◆ context compacted · generation 2\n  Goal\n\n  Done so far.\n\n  ❯ go on\n\n  ✓ bash ls · 2 lines\n"
            "  ⊘ bash pwd · cancelled\n\n  partly\n  ✗ failed here, the answer is not complete\n");
  EXPECT_TRUE(transcript.place().at_end);
}

TEST(Transcript, SteeringWaitsBelowAndIsDelivered) {  // L3
  Transcript transcript;
  transcript.steering("s1", "first");
  transcript.steering("s2", "second");
  transcript.steering("s3", "third");
  transcript.text("answer");
  EXPECT_EQ(drawn(transcript),
            "  answer\n\n  ❯ first\n    ⋯ waits for the next step of the turn\n\n  ❯ second\n    ⋯ waits for the next "
            "step of the "
            "turn\n\n  ❯ third\n    ⋯ waits for the next step of the turn\n");
  transcript.delivered(delivered("s1"));
  transcript.recalled("s2");
  transcript.undelivered("third", "s3");
  transcript.delivered(delivered("unknown"));
  transcript.delivered(delivered(""));
  transcript.text("more");
  EXPECT_EQ(drawn(transcript), "  answer\n\n  ❯ first\n\n  more\n");
}

TEST(Transcript, NotesDiagnosticsAndAttempts) {
  Transcript transcript;
  transcript.diagnostic({"warning", "context is nearly full", "context"});
  event::Attempt attempt;
  attempt.number = 2;
  attempt.reason = "overloaded";
  attempt.delay_ms = 1500;
  transcript.attempt(attempt);
  attempt.number = 3;
  transcript.attempt(attempt);
  ResultRecord record;
  record.status = "failed";
  record.error = event::ErrorInfo{"upstream", "no route"};
  transcript.result(record);
  transcript.note("info", "copied");
  EXPECT_EQ(
      drawn(transcript),
      "  ⚠ context is nearly full\n  ⚠ retrying, attempt 3: overloaded (after 1.5 s)\n  ✗ no route\n  · copied\n");
}

TEST(Transcript, ThoughtsFoldWhenTheAnswerBegins) {
  Transcript transcript;
  transcript.reasoning("I wonder\nwhether");
  EXPECT_EQ(drawn(transcript), "  ⠋ thinking\n    │ I wonder\n    │ whether\n");
  transcript.text("So:");
  EXPECT_EQ(drawn(transcript), "  ∴ thought\n\n  So:\n");
}

TEST(Transcript, LocalCommandsAreCardsToo) {
  Transcript transcript;
  transcript.local_command("local-1", "git status");
  transcript.tool_progress(progress("local-1", "clean\n"));
  EXPECT_EQ(drawn(transcript), "  ⠋ ! git status · 0 ms · 6 bytes\n    │ clean\n");
  transcript.tool_result(answer("local-1", "error", "clean\n", R"({"exit_code":1})"));
  EXPECT_EQ(drawn(transcript), "  ✗ ! git status · failed · exit 1 · 0 ms\n    │ clean\n");
}

TEST(Transcript, ACardOpensAloneWithAllItsLines) {
  Transcript transcript;
  std::string output;
  for (int i = 1; i <= 200; ++i) output += "line " + std::to_string(i) + "\n";
  transcript.prompt("before");
  transcript.tool_call(call("c", "bash", R"({"command":"seq"})"));
  transcript.tool_result(answer("c", "success", output));
  transcript.text("after");
  EXPECT_TRUE(transcript.open_card());
  EXPECT_TRUE(transcript.card_is_open());
  EXPECT_EQ(drawn(transcript, 60, 4),
            "  ✓ bash seq · 0 ms · 200 lines\n    │ command: seq\n    │ line 1\n    │ line 2\n"s);
  transcript.scroll_to_end();
  EXPECT_EQ(drawn(transcript, 60, 2), "    │ line 199\n    │ line 200\n");
  transcript.close_card();
  EXPECT_EQ(drawn(transcript, 60, 20), "  ❯ before\n\n  ✓ bash seq · 0 ms · 200 lines\n\n  after\n");
}

TEST(Transcript, OutputIsBounded) {
  Transcript transcript;
  transcript.tool_call(call("c", "bash", "{}"));
  for (int i = 0; i < 1000; ++i) transcript.tool_progress(progress("c", std::string(999, 'a' + i % 26) + "\n"));
  transcript.fold_all(false);
  const std::string live = whole(transcript, 200);
  EXPECT_NE(live.find("are not kept in view"), std::string::npos);
  EXPECT_LT(live.size(), 120'000u);
  transcript.tool_result(answer("c", "success", std::string(1'000'000, 'x')));
  EXPECT_LT(whole(transcript, 200).size(), 120'000u);
}

TEST(Transcript, HostileTextsAreHarmless) {  // SEC-06
  const std::string hostile =
      "a\x1b]52;c;ZXZpbA==\x07 b\x1b]0;title\x1b\\ c\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ d\x1b[2J e\x1b[6n "
      "f\x1bPq\x1b\\ "
      "g\x9b"
      "2J h\rover\r\n i\xc2\x9b"
      "0m j\xe2\x80\xae k\x07\b\x7f";
  Transcript transcript;
  transcript.prompt(hostile);
  transcript.text(hostile + "\n\n```\n" + hostile + "\n```\n| " + hostile + " | b |\n|---|---|\n| c | " + hostile +
                  " |\n");
  transcript.reasoning(hostile);
  transcript.tool_call(call(hostile, hostile, "not json " + hostile));
  transcript.tool_progress(progress(hostile, hostile, hostile));
  transcript.tool_result(answer(hostile, hostile, hostile, hostile));
  transcript.diagnostic({hostile, hostile, hostile});
  transcript.compaction(compaction("completed", hostile));
  transcript.steering(hostile, hostile);
  transcript.fold_all(false);
  for (const int columns : {20, 80, 200}) {
    const std::string text = whole(transcript, columns);
    for (const char c : text) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    for (const char* bad : {"\xc2\x9b", "\xe2\x80\xae", "\x7f", "ZXZpbA"}) ASSERT_EQ(text.find(bad), std::string::npos);
    ASSERT_NE(text.find("link"), std::string::npos);
  }
}

}  // namespace
}  // namespace magi::code::tui
