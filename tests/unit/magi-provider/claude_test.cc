// What claude writes, whatever it is, gives records that parse and one outcome; what it is given is one JSON line.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "libcommon/json/node.h"
#include "tools/magi-provider/claude/claude_login.h"
#include "tools/magi-provider/claude/claude_reader.h"
#include "tools/magi-provider/claude/claude_request.h"

namespace magi::provider {
namespace {

const char* const kLines[] = {
    R"({"type":"control_response","response":{"subtype":"success","request_id":"magi-1","response":{}}})",
    R"({"type":"system","subtype":"init","session_id":"s","tools":[],"model":"m"})",
    R"({"type":"control_request","request_id":"c1","request":{"subtype":"mcp_message","server_name":"magi","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}})",
    R"({"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","model":"m","usage":{"input_tokens":3,"output_tokens":0}}}})",
    R"({"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}})",
    R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hé"}}})",
    R"({"type":"assistant","message":{"id":"m1","model":"m","content":[{"type":"text","text":"hé"}]}})",
    R"({"type":"stream_event","event":{"type":"content_block_stop","index":0}})",
    R"({"type":"stream_event","event":{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"mcp__magi__read","input":{}}}})",
    R"({"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}})",
    R"({"type":"stream_event","event":{"type":"content_block_stop","index":1}})",
    R"({"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}})",
    R"({"type":"stream_event","event":{"type":"message_stop"}})",
    R"({"type":"result","subtype":"success","is_error":false,"result":"","stop_reason":"end_turn"})"};

ReaderContext context() {
  ReaderContext context;
  context.provider = "claude-subscription";
  context.tool_names = {{"mcp__magi__read", "read"}};
  return context;
}

// Every record is one JSON object a line.
void expect_records(const std::string& records, const std::string& why) {
  json::Parser parser;
  for (std::size_t at = 0; at < records.size();) {
    const std::size_t end = records.find('\n', at);
    ASSERT_NE(end, std::string::npos) << why;
    ASSERT_TRUE(parser.parse(std::string_view(records).substr(at, end - at))) << why;
    at = end + 1;
  }
}

TEST(ClaudeReaderTest, MapsEventsAndAnswersTheHandshake) {
  std::string records;
  AnswerWriter out(records, "");
  ClaudeReader reader(out, context(), "[]");
  for (const char* line : kLines) reader.take_line(line);
  ASSERT_TRUE(reader.outcome());
  EXPECT_FALSE(reader.outcome()->failure);
  EXPECT_EQ(reader.outcome()->stop_reason, "tool_use");
  EXPECT_NE(records.find(R"({"type":"tool_call","call_id":"t1","name":"read","arguments":"{\"a\":1}")"),
            std::string::npos)
      << records;
  EXPECT_EQ(reader.take_replies(),
            "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"c1\",\"response\":"
            "{\"mcp_response\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}}}}\n");
  EXPECT_EQ(reader.messages().usage()->output_tokens, 9);
}

TEST(ClaudeReaderTest, AnyLinesGiveRecordsAndOneOutcome) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    std::string records;
    AnswerWriter out(records, "");
    ClaudeReader reader(out, context(), "[]");
    for (const char* source : kLines) {
      std::string line = source;
      switch (random() % 6) {
        case 0: line.resize(random() % line.size()); break;
        case 1: line[random() % line.size()] = static_cast<char>(random()); break;
        case 2: line = kLines[random() % std::size(kLines)]; break;
        case 3: line.insert(random() % line.size(), "null"); break;
        default: break;
      }
      reader.take_line(line);
      expect_records(reader.take_replies(), line);
    }
    reader.end_of_output(static_cast<int>(random() % 3), "said");
    ASSERT_TRUE(reader.outcome());
    expect_records(records, "records");
  }
}

TEST(ClaudeLoginTest, TellsByJsonOrByTheExitStatus) {
  EXPECT_TRUE(read_claude_login(R"({"loggedIn":true,"subscriptionType":"max"})", 0, "").logged_in);
  EXPECT_EQ(read_claude_login(R"({"loggedIn":true,"subscriptionType":"max"})", 0, "").plan, "max");
  EXPECT_TRUE(read_claude_login(R"({"logged_in":true})", 0, "").logged_in);
  EXPECT_TRUE(read_claude_login("Logged in\n", 0, "").logged_in);
  const ClaudeLogin out = read_claude_login(R"({"loggedIn":false})", 1, "");
  EXPECT_TRUE(!out.logged_in && out.problem.empty());
  EXPECT_EQ(read_claude_login("", 1, "error: unknown").problem, "`claude auth status` failed: error: unknown");
  EXPECT_EQ(read_claude_login("", 127, "").problem, "`claude auth status` failed");
}

}  // namespace
}  // namespace magi::provider
