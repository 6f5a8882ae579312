#include "tools/magi-code/loop/memory.h"

#include <gtest/gtest.h>

#include "libcommon/digest/sha256.h"

namespace magi::code {
namespace {

event::ToolCall call(const std::string& id) {
  event::ToolCall record;
  record.call_id = id;
  record.name = "read";
  record.arguments = "{}";
  record.request_id = "q1";
  return record;
}

event::ToolResult result(const std::string& id, const std::string& output) {
  event::ToolResult record;
  record.call_id = id;
  record.result_id = "r-" + id;
  record.status = "success";
  record.output = output;
  return record;
}

// "user text", "tool_call c1", ... for each line of a request's body.
std::vector<std::string> outline(const std::string& stream) {
  std::vector<std::string> lines;
  json::Parser parser;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t end = stream.find('\n', at);
    const auto root = parser.parse(stream.substr(at, end - at));
    EXPECT_TRUE(root.has_value());
    std::string line = *event::record_type(*root);
    if (const auto id = root->find("call_id").as_string()) line += " " + *id;
    else if (const auto text = root->find("text").as_string()) line += " " + *text;
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

TEST(Memory, ResultsStandBehindTheirGroupInCallOrder) {
  Memory memory({});
  memory.add_user({"hi", "1", "t1", "user", {}});
  memory.add_answer({TextSegment{"looking"}, call("c1"), call("c2"), TextSegment{"more"}, call("c3")},
                    {result("c1", "one"), result("c2", "two"), result("c3", "three")}, "completed", "t1");
  const std::vector<std::string> expected{"request",        "conversation",   "user hi",        "assistant looking", "tool_call c1", "tool_call c2",
                                          "tool_result c1", "tool_result c2", "assistant more", "tool_call c3",      "tool_result c3", "end"};
  EXPECT_EQ(outline(memory.request({})), expected);
}

TEST(Memory, RequestIdsOfAnswersAreNotKept) {
  Memory memory({});
  memory.add_answer({call("c1")}, {result("c1", "x")}, "completed", "t1");
  EXPECT_EQ(memory.request({}).find("q1"), std::string::npos);
}

TEST(Memory, DigestCoversConversationToBeforeEnd) {
  Memory memory({});
  memory.add_user({"hi", "1", "t1", "user", {}});
  (void)memory.request({});
  memory.add_assistant({"hello", "completed", "t1"});
  const std::string stream = memory.request({}, "Continue");
  const std::size_t begin = stream.find("{\"type\":\"conversation\"");
  const std::size_t end = stream.find("{\"type\":\"end\"");
  ASSERT_NE(end, std::string::npos);
  EXPECT_NE(stream.find("sha256:" + sha256_hex(stream.substr(begin, end - begin))), std::string::npos);
  EXPECT_NE(stream.find("\"items\":3"), std::string::npos);
}

TEST(Memory, ContinuationIsSentAndForgotten) {
  Memory memory({});
  memory.add_user({"hi", "1", "t1", "user", {}});
  EXPECT_EQ(outline(memory.request({}, "Continue")).at(3), "user Continue");
  EXPECT_EQ(outline(memory.request({})).size(), 4u);
}

TEST(Memory, LongResultsAreCutOnlyOnceTheirTurnHasEnded) {
  Memory memory({});
  const std::string output = "HEAD" + std::string(30'000, 'x') + "TAIL";
  memory.add_user({"hi", "1", "t1", "user", {}});
  memory.add_answer({call("c1"), call("c2")}, {result("c1", output), result("c2", "short")}, "completed", "t1");
  EXPECT_NE(memory.request({}).find(output), std::string::npos);
  memory.end_turn();
  const std::string later = memory.request({});
  EXPECT_EQ(later.find(output), std::string::npos);
  EXPECT_NE(later.find("HEADxxx"), std::string::npos);
  EXPECT_NE(later.find("\"omitted_chars\":18008"), std::string::npos);
  EXPECT_NE(later.find("short"), std::string::npos);
  const std::size_t begin = later.find("{\"type\":\"conversation\"");
  EXPECT_NE(later.find(sha256_hex(later.substr(begin, later.find("{\"type\":\"end\"") - begin))), std::string::npos);
}

TEST(Memory, AReasoningSelectionStandsBeforeItsUser) {
  Memory memory({});
  memory.add_user({"hi", "1", "t1", "user", {}}, event::Raw{"{\"effort\":\"high\"}"});
  EXPECT_EQ(outline(memory.request({})).at(2), "reasoning_selection");
}

}  // namespace
}  // namespace magi::code
