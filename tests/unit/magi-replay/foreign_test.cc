#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/unit/magi-replay/foreign_support.h"

namespace magi::replay::test {
namespace {

namespace fs = std::filesystem;
using context::test::complaint;

bool says(const context::test::Replayed& r, std::string_view part) {
  for (const std::string& notice : r.notices)
    if (notice.find(part) != std::string::npos) return true;
  return false;
}

TEST(Codex, PromptsTextsCallsAndInterruptions) {
  const auto r = convert(
      R"({"timestamp":"T","type":"session_meta","payload":{"id":"abc-1","cwd":"/p"}}
{"timestamp":"T","type":"event_msg","payload":{"type":"task_started","turn_id":"x"}}
{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"be good"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}}
{"type":"response_item","payload":{"type":"reasoning","encrypted_content":"zzz"}}
{"type":"response_item","payload":{"type":"function_call","name":"exec","arguments":"{\"cmd\":1}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"faster"}]}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** x","call_id":"c2"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"half"}]}}
{"type":"event_msg","payload":{"type":"turn_aborted","turn_id":"x"}}
)",
      ForeignFormat::kCodex);
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_EQ(r.outline(),
            "user look\ntool_call c1\ntool_result c1 no\nuser faster\ntool_call c2\n"
            "tool_result c2 [interrupted: no result of this call was\nassistant half\n");
  EXPECT_NE(r.stream.find("\"session_id\":\"abc-1\""), std::string::npos);
  EXPECT_NE(r.stream.find(R"("parts":[{"type":"image","media_type":"image/png","data":"AAAA"}])"), std::string::npos);
  EXPECT_NE(r.stream.find(R"("status":"error","output":"no")"), std::string::npos);
  EXPECT_NE(r.stream.find(R"("origin":"steering")"), std::string::npos);
  EXPECT_EQ(r.end.read->events, 12);
}

TEST(Codex, BareItemsOfOldFilesSummariesAndRollbacks) {
  const auto r = convert(
      R"({"id":"old-1","timestamp":"T","instructions":null}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}
{"type":"compacted","payload":{"message":"so far"}}
{"type":"message","role":"user","content":[{"type":"input_text","text":"two"}]}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"gone"}]}
{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}
{"type":"message","role":"user","content":[{"type":"input_text","text":"three"}]}
)",
      ForeignFormat::kCodex);
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_EQ(r.outline().substr(0, 16), "summary so far\ne");
  EXPECT_EQ(r.stream.find("gone"), std::string::npos);
  EXPECT_NE(r.stream.find("three"), std::string::npos);
  EXPECT_EQ(r.end.items, 3);
}

TEST(Claude, BlocksBranchesAndItsOwnTexts) {
  const auto r = convert(
      R"({"type":"permission-mode","permissionMode":"auto"}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s-9","cwd":"/p","message":{"role":"user","content":"first"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}}
{"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file":"a"}}]}}
{"type":"assistant","uuid":"a3","parentUuid":"a2","message":{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Read","input":{}}]}}
{"type":"user","uuid":"r2","parentUuid":"a3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":[{"type":"text","text":"bad"}]}]}}
{"type":"user","uuid":"r1","parentUuid":"a2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"good"}]}}
{"type":"assistant","uuid":"x1","parentUuid":"r1","isSidechain":true,"message":{"role":"assistant","content":[{"type":"text","text":"aside"}]}}
{"type":"assistant","uuid":"a4","parentUuid":"r1","message":{"role":"assistant","content":[{"type":"text","text":"both"}]}}
{"type":"user","uuid":"m1","parentUuid":"a4","isMeta":true,"message":{"role":"user","content":"meta"}}
{"type":"user","uuid":"m2","parentUuid":"a4","message":{"role":"user","content":"<command-name>/clear</command-name>"}}
{"type":"user","uuid":"u2","parentUuid":"a4","message":{"role":"user","content":"wrong way"}}
{"type":"assistant","uuid":"a5","parentUuid":"u2","message":{"role":"assistant","content":[{"type":"text","text":"dead end"}]}}
{"type":"user","uuid":"u3","parentUuid":"a4","message":{"role":"user","content":"right way"}}
{"type":"user","uuid":"i1","parentUuid":"u3","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"user","uuid":"u3","parentUuid":"a4","message":{"role":"user","content":"right way"}}
)",
      ForeignFormat::kClaude);
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_EQ(r.outline(),
            "user first\ntool_call t1\ntool_call t2\ntool_result t1 good\ntool_result t2 bad\nassistant both\n"
            "user right way\n");
  EXPECT_TRUE(says(r, "side conversations: 1"));
  EXPECT_NE(r.stream.find(R"("arguments":"{\"file\":\"a\"}")"), std::string::npos);
}

TEST(Claude, ASummaryReplacesWhatWasBefore) {
  const auto r = convert(
      R"({"type":"user","uuid":"u1","message":{"role":"user","content":"first"}}
{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null}
{"type":"user","uuid":"c","parentUuid":"b","isCompactSummary":true,"message":{"role":"user","content":"summary of it"}}
{"type":"user","uuid":"u2","parentUuid":"c","message":{"role":"user","content":"next"}}
)",
      ForeignFormat::kClaude);
  EXPECT_EQ(complaint(r.stream), "");
  EXPECT_EQ(r.stream.find("first"), std::string::npos);
  EXPECT_EQ(r.outline().substr(0, 22), "summary summary of it\n");
}

TEST(Pi, ThePathToTheLastRecordAndWhatACompactionKeeps) {
  const auto r = convert(
      R"({"type":"session","version":3,"id":"p-1","cwd":"/p"}
{"type":"model_change","id":"0","parentId":null}
{"type":"message","id":"1","parentId":"0","message":{"role":"user","content":[{"type":"text","text":"dropped"}]}}
{"type":"message","id":"2","parentId":"1","message":{"role":"user","content":"kept"}}
{"type":"message","id":"3","parentId":"2","message":{"role":"assistant","content":[{"type":"toolCall","id":"c|fc","name":"bash","arguments":{"command":"x"}}],"stopReason":"toolUse"}}
{"type":"message","id":"4","parentId":"3","message":{"role":"toolResult","toolCallId":"c|fc","content":[{"type":"text","text":"out"}],"isError":false}}
{"type":"message","id":"9","parentId":"4","message":{"role":"user","content":"other branch"}}
{"type":"compaction","id":"5","parentId":"4","summary":"the story","firstKeptEntryId":"2"}
{"type":"message","id":"6","parentId":"5","message":{"role":"assistant","content":[{"type":"text","text":"cut off"},{"type":"toolCall","id":"d","name":"bash","arguments":{}}],"stopReason":"aborted"}}
{"type":"custom","id":"7","parentId":"6"}
)",
      ForeignFormat::kPi);
  EXPECT_EQ(complaint(r.stream), "");
  const std::string outline = r.outline();
  EXPECT_EQ(outline.substr(0, 18), "summary the story\n");
  EXPECT_NE(outline.find("user kept\ntool_call c\ntool_result c out\nassistant cut off\n"), std::string::npos)
      << outline;
  EXPECT_EQ(r.stream.find("dropped"), std::string::npos);
  EXPECT_EQ(r.stream.find("other branch"), std::string::npos);
  EXPECT_NE(r.stream.find("\"status\":\"cancelled\""), std::string::npos);
}

TEST(Foreign, WhatIsNoSessionOfTheProgramIsRefused) {
  for (const auto format : {ForeignFormat::kCodex, ForeignFormat::kClaude, ForeignFormat::kPi}) {
    EXPECT_NE(convert("", format).error, "");
    EXPECT_NE(convert("{\"a\":1}\n[]\nnull\n7\n", format).error, "");
    EXPECT_NE(convert("PK\x03\x04 and so on", format).error.find("ZIP"), std::string::npos);
  }
}

TEST(Foreign, BadLinesAreCountedAndNamed) {
  const auto r =
      convert("{\"type\":\"session\",\"id\":\"p\"}\nbroken\n" +
                  std::string(R"({"type":"message","message":{"role":"user","content":"hi"}})") + "\n{\"type\":\"mess",
              ForeignFormat::kPi);
  EXPECT_EQ(r.outline(), "user hi\n");
  EXPECT_EQ(r.end.read->skipped_lines, 1);
  EXPECT_TRUE(r.end.read->torn_tail);
  EXPECT_TRUE(says(r, "skipped bad lines: line 2"));
}

// Real files, where there are any beside the repository.
TEST(Foreign, RecordedSessionsConvert) {
  const char* shared = std::getenv("MAGI_SHARED");
  const fs::path folder = fs::path(shared ? shared : MAGI_SOURCE_DIR "/../shared") / "fixtures" / "sessions";
  if (!fs::is_directory(folder))
    GTEST_SKIP() << "no recordings: MAGI_SHARED names the folder that holds fixtures/sessions";
  int converted = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".jsonl") continue;
    const auto format = name.starts_with("codex") ? ForeignFormat::kCodex
                        : name.starts_with("pi")  ? ForeignFormat::kPi
                                                  : ForeignFormat::kClaude;
    const auto r = convert(context::test::read_file(entry.path()), format);
    EXPECT_EQ(r.error, "") << name;
    EXPECT_EQ(complaint(r.stream), "") << name;
    EXPECT_GT(r.end.items, 0) << name;
    EXPECT_EQ(r.end.read->skipped_lines, 0) << name;
    EXPECT_FALSE(says(r, "unknown kinds")) << name;
    ++converted;
  }
  EXPECT_GT(converted, 0);
}

}  // namespace
}  // namespace magi::replay::test
