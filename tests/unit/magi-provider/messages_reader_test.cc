#include "tools/magi-provider/messages_reader.h"

#include "tests/unit/magi-provider/reading.h"

namespace magi::provider {
namespace {

Read read(std::initializer_list<std::string_view> lines) { return read_at_every_cut<MessagesReader>(events(lines)); }

constexpr std::string_view kStart =
    R"({"type":"message_start","message":{"id":"msg_1","model":"m-1","usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"output_tokens":1}}})";
constexpr std::string_view kTextStart =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})";
constexpr std::string_view kTextDelta =
    R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}})";
constexpr std::string_view kStop0 = R"({"type":"content_block_stop","index":0 })";
constexpr std::string_view kToolStart =
    R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}})";
constexpr std::string_view kToolDelta =
    R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a\"}"}})";
constexpr std::string_view kToolStop = R"({"type":"content_block_stop","index":1})";
constexpr std::string_view kEnd = R"({"type":"message_stop"})";

std::string delta(std::string_view reason) {
  return R"({"type":"message_delta","delta":{"stop_reason":")" + std::string(reason) +
         R"(","stop_sequence":null},"usage":{"output_tokens":38}})";
}

constexpr std::string_view kText = "{\"type\":\"text\",\"text\":\"Hel\"}\n";
constexpr std::string_view kProgress = "{\"type\":\"tool_progress\",\"call_id\":\"toolu_1\",\"name\":\"read\"}\n";
constexpr std::string_view kCall =
    "{\"type\":\"tool_call\",\"call_id\":\"toolu_1\",\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\\\"a\\\"}\"}\n";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

TEST(MessagesReader, ReadsTextCallsAndUsage) {
  const Read result = read({kStart, kTextStart, R"({"type":"ping"})", kTextDelta, kStop0, kToolStart, kToolDelta,
                            kToolStop, delta("tool_use"), kEnd});
  EXPECT_EQ(result.records, joined({kText, kProgress, kCall}));
  EXPECT_EQ(result.end, "done tool_use");
  EXPECT_EQ(result.usage, "in 18 cached 5 written 3 out 38");
}

TEST(MessagesReader, ThinkingGoesBackSignedAndInFront) {
  const Read result = read(
      {kStart,
       R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a \"b\""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG="}})", kStop0,
       kToolStart, kToolDelta, kToolStop, delta("tool_use"), kEnd});
  EXPECT_EQ(result.records, joined({"{\"type\":\"reasoning\",\"text\":\"a \\\"b\\\"\"}\n", kProgress,
                                    "{\"type\":\"provider_item\",\"provider\":\"test\",\"item\":{\"type\":\"thinking\","
                                    "\"thinking\":\"a \\\"b\\\"\",\"signature\":\"SIG=\"}}\n",
                                    kCall}));
}

TEST(MessagesReader, RedactedThinkingAndServerBlocksAreKeptVerbatim) {
  const Read result = read(
      {kStart, R"({"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"XYZ"}})",
       kStop0,
       R"({"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\":"}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"x\"}"}})",
       kToolStop,
       R"({"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[]}})",
       R"({"type":"content_block_stop","index":2})", delta("end_turn"), kEnd});
  EXPECT_EQ(
      result.records,
      "{\"type\":\"provider_item\",\"provider\":\"test\",\"item\":{\"type\":\"redacted_thinking\",\"data\":\"XYZ\"}}\n"
      "{\"type\":\"provider_item\",\"provider\":\"test\",\"item\":{\"type\":\"server_tool_use\",\"id\":\"srv_1\","
      "\"name\":\"web_search\",\"input\":{\"q\":\"x\"}}}\n"
      "{\"type\":\"provider_item\",\"provider\":\"test\",\"item\":{\"type\":\"web_search_tool_result\",\"tool_use_id\":"
      "\"srv_1\",\"content\":[]}}\n");
  EXPECT_EQ(result.end, "done end_turn");
}

TEST(MessagesReader, EmptyInputIsAnEmptyObject) {
  EXPECT_EQ(
      read({kStart, kToolStart,
            R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}})",
            kToolStop, delta("tool_use"), kEnd})
          .records,
      joined({kProgress, "{\"type\":\"tool_call\",\"call_id\":\"toolu_1\",\"name\":\"read\",\"arguments\":\"{}\"}\n"}));
}

TEST(MessagesReader, InputThatCameWholeAtTheStart) {
  EXPECT_EQ(
      read(
          {kStart,
           R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}}})",
           kToolStop, delta("tool_use"), kEnd})
          .records,
      joined({kProgress, kCall}));
}

TEST(MessagesReader, TheLimitCutsACall) {
  constexpr std::string_view kHalf =
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a"}})";
  const Read result = read({kStart, kToolStart, kHalf, kToolStop, delta("max_tokens"), kEnd});
  EXPECT_EQ(result.records, kProgress);
  EXPECT_EQ(result.end, "truncated: the output limit cut the arguments of tool call 'read'");
  EXPECT_EQ(read({kStart, kToolStart, kToolDelta, kToolStop, delta("max_tokens"), kEnd}).end, result.end);
  EXPECT_EQ(read({kStart, kTextStart, kTextDelta, kStop0, delta("max_tokens"), kEnd}).end, "done max_tokens");
}

TEST(MessagesReader, Bug44ASecondStartVoidsTheFirstHalf) {
  constexpr std::string_view kAgain =
      R"({"type":"message_start","message":{"id":"msg_2","model":"m-1","usage":{"input_tokens":10,"output_tokens":1}}})";
  const Read result = read(
      {kStart, kToolStart,
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"pa"}})", kAgain,
       R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_2","name":"read","input":{}}})",
       kToolDelta, kToolStop, delta("tool_use"), kEnd});
  EXPECT_EQ(result.records,
            joined({kProgress, "{\"type\":\"tool_progress\",\"call_id\":\"toolu_2\",\"name\":\"read\"}\n",
                    "{\"type\":\"tool_call\",\"call_id\":\"toolu_2\",\"name\":\"read\",\"arguments\":\"{\\\"path\\\":"
                    "\\\"a\\\"}\"}\n"}));
  EXPECT_EQ(read({kStart, kTextStart, kTextDelta, kAgain}).end, "stream: the server began its answer a second time");
  EXPECT_EQ(read({kStart, kStart, kTextStart, kTextDelta, kStop0, delta("end_turn"), kEnd}).records, kText);
}

TEST(MessagesReader, Bug45AnErrorInsideTheStreamHasItsOwnKind) {
  EXPECT_EQ(read({kStart, kTextStart, kTextDelta,
                  R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"})
                .end,
            "overloaded: Overloaded");
  EXPECT_EQ(read({R"({"type":"error","error":{"type":"api_error","message":"Internal"}})"}).end, "server: Internal");
  EXPECT_EQ(read({R"({"type":"error","error":{"type":"invalid_request_error","message":"bad"}})"}).end, "request: bad");
  EXPECT_EQ(read({R"({"type":"error","error":{"type":"authentication_error","message":"no"}})"}).end, "auth: no");
}

TEST(MessagesReader, AnEndBehindTheReasonIsWhole) {
  EXPECT_EQ(read({kStart, kTextStart, kTextDelta, kStop0, delta("end_turn")}).end, "done end_turn");
  EXPECT_EQ(read({kStart, kTextStart, kTextDelta, kStop0}).end, "stream: the answer ended before it was complete");
}

TEST(MessagesReader, OtherReasons) {
  EXPECT_EQ(read({kStart, delta("pause_turn"), kEnd}).end, "done pause_turn");
  EXPECT_EQ(
      read({kStart,
            R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"not this"}}})",
            kEnd})
          .end,
      "policy: the model refused to answer: not this");
  EXPECT_EQ(read({kStart, delta("model_context_window_exceeded"), kEnd}).end.substr(0, 17), "context_overflow:");
  EXPECT_EQ(read({kStart, kTextStart, kTextDelta, delta("model_context_window_exceeded"), kEnd}).end,
            "done max_tokens");
}

TEST(MessagesReader, LaterUsageReplacesEarlier) {
  EXPECT_EQ(
      read(
          {kStart,
           R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":61,"output_tokens":7,"output_tokens_details":{"thinking_tokens":2}}})",
           kEnd})
          .usage,
      "in 69 cached 5 written 3 out 7 thought 2");
}

TEST(MessagesReader, AWholeMessageInPlaceOfAStream) {
  std::string records;
  AnswerWriter out(records, "");
  MessagesReader reader(out, {"test", "", {}, {}});
  reader.read_document(
      R"({"type":"message","id":"m","model":"x","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"Hel"},{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}})");
  EXPECT_EQ(records, joined({"{\"type\":\"reasoning\",\"text\":\"t\"}\n{\"type\":\"provider_item\",\"provider\":"
                             "\"test\",\"item\":{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"}}\n",
                             kText, kProgress, kCall}));
  EXPECT_EQ(result_of(reader, "").end, "done tool_use");
}

}  // namespace
}  // namespace magi::provider
