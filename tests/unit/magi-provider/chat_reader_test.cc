#include "tools/magi-provider/chat_reader.h"

#include "tests/unit/magi-provider/reading.h"

namespace magi::provider {
namespace {

Read read(std::initializer_list<std::string_view> chunks) { return read_at_every_cut<ChatReader>(events(chunks)); }

std::string chunk(std::string_view delta, std::string_view finish = "null") {
  return R"({"choices":[{"index":0,"delta":)" + std::string(delta) + R"(,"finish_reason":)" + std::string(finish) +
         "}]}";
}
std::string call(std::string_view calls) { return chunk(R"({"tool_calls":[)" + std::string(calls) + "]}"); }
const std::string kCalls = chunk("{}", "\"tool_calls\"");
const std::string kStop = chunk("{}", "\"stop\"");
const std::string kLength = chunk("{}", "\"length\"");

std::string text_record(std::string_view text) { return R"({"type":"text","text":")" + std::string(text) + "\"}\n"; }
std::string progress(std::string_view id, std::string_view name) {
  return R"({"type":"tool_progress","call_id":")" + std::string(id) + R"(","name":")" + std::string(name) + "\"}\n";
}
std::string call_record(std::string_view id, std::string_view name, std::string_view arguments) {
  return R"({"type":"tool_call","call_id":")" + std::string(id) + R"(","name":")" + std::string(name) +
         R"(","arguments":")" + std::string(arguments) + "\"}\n";
}
std::string one_call(std::string_view id, std::string_view name, std::string_view arguments) {
  return progress(id, name) + call_record(id, name, arguments);
}

TEST(ChatReader, ReadsTextAndUsage) {
  const Read result = read(
      {chunk(R"({"role":"assistant","content":""})"), chunk(R"({"content":"Hé \"a\"\n"})"), chunk(R"({"content":"b"})"),
       kStop,
       R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":1}}})",
       "[DONE]"});
  EXPECT_EQ(result.records, text_record("Hé \\\"a\\\"\\n") + text_record("b"));
  EXPECT_EQ(result.end, "done end_turn");
  EXPECT_EQ(result.usage, "in 9 cached 4 out 3 thought 1");
}

TEST(ChatReader, ReasoningThatIsCountedBesideTheOutputIsAdded) {
  EXPECT_EQ(
      read(
          {chunk(R"({"content":"a"})", "\"stop\""),
           R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":19,"completion_tokens_details":{"reasoning_tokens":7}}})"})
          .usage,
      "in 9 out 10 thought 7");
}

TEST(ChatReader, Bug52CountsThatCannotBeAreLeftOut) {
  EXPECT_EQ(read({chunk(R"({"content":"a"})", "\"stop\""),
                  R"({"choices":[],"usage":{"prompt_tokens":25000000,"completion_tokens":-3}})"})
                .usage,
            "in 0 out 0");
}

TEST(ChatReader, ReadsReasoningInItsDialects) {
  const Read result = read(
      {chunk(R"({"reasoning_content":"a"})"), chunk(R"({"reasoning":"b","content":null})"),
       chunk(R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"c"}]},{"type":"text","text":"d"}]})"),
       kStop, "[DONE]"});
  EXPECT_EQ(result.records,
            "{\"type\":\"reasoning\",\"text\":\"a\"}\n{\"type\":\"reasoning\",\"text\":\"b\"}\n"
            "{\"type\":\"reasoning\",\"text\":\"c\"}\n" +
                text_record("d"));
}

TEST(ChatReader, SendsThoughtsBackWithCalls) {
  const Read result =
      read({chunk(R"({"reasoning_content":"why"})"),
            call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"), kCalls, "[DONE]"});
  EXPECT_EQ(
      result.records,
      "{\"type\":\"reasoning\",\"text\":\"why\"}\n" + progress("a", "f") +
          R"({"type":"provider_item","provider":"test","item":{"type":"assistant_fields","origin":"http://h/v1","fields":{"reasoning_content":"why"}}})"
          "\n" +
          call_record("a", "f", "{}"));
}

TEST(ChatReader, KeepsWhatAGeminiCallMustCarryBack) {
  const Read result = read(
      {call(
           R"({"id":"a","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}})"),
       kCalls});
  EXPECT_EQ(
      result.records,
      progress("a", "f") +
          R"({"type":"provider_item","provider":"test","item":{"type":"call_fields","origin":"http://h/v1","call_id":"a","fields":{"extra_content":{"google":{"thought_signature":"s"}}}}})"
          "\n" +
          call_record("a", "f", "{}"));
}

// Dialects of tool calls.  The numbers are those of the collected bug reports.
TEST(ChatReader, Bug01DeltasWithoutIdContinueTheirIndex) {
  EXPECT_EQ(read({call(R"({"index":0,"id":"a","function":{"name":"f","arguments":""}})"),
                  call(R"({"index":0,"function":{"arguments":"{\"x\":"}})"),
                  call(R"({"index":0,"function":{"arguments":"1}"}})"), kCalls})
                .records,
            one_call("a", "f", "{\\\"x\\\":1}"));
}
TEST(ChatReader, Bug02AMissingIdIsMadeUp) {
  EXPECT_EQ(read({call(R"({"index":0,"function":{"name":"f","arguments":"{\"p\":\"a\"}"}})"), kCalls}).records,
            one_call("call_1", "f", "{\\\"p\\\":\\\"a\\\"}"));
}
TEST(ChatReader, Bug03AMissingIndexIsNoError) {
  EXPECT_EQ(read({call(R"({"id":"a","type":"function","function":{"name":"f","arguments":"{}"}})"), kCalls}).records,
            one_call("a", "f", "{}"));
}
TEST(ChatReader, Bug04WithoutIndexTheOpenCallGoesOn) {
  EXPECT_EQ(
      read({call(R"({"function":{"name":"f"}})"), call(R"({"function":{"arguments":"{\"q\":1}"}})"), kCalls}).records,
      one_call("call_1", "f", "{\\\"q\\\":1}"));
}
TEST(ChatReader, Bug05TwoIdsWithoutIndexAreTwoCalls) {
  EXPECT_EQ(read({call(R"({"id":"a","function":{"name":"f","arguments":"{}"}})"),
                  call(R"({"id":"b","function":{"name":"g","arguments":"{}"}})"), kCalls})
                .records,
            progress("a", "f") + progress("b", "g") + call_record("a", "f", "{}") + call_record("b", "g", "{}"));
}
TEST(ChatReader, Bug06AnIndexUsedTwiceGoesToTheNewerCall) {
  EXPECT_EQ(
      read({call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
            call(R"({"index":0,"id":"b","function":{"name":"g","arguments":""}})"),
            call(R"({"index":1,"function":{"arguments":"{\"k\":2}"}})"), kCalls})
          .records,
      progress("a", "f") + progress("b", "g") + call_record("a", "f", "{}") + call_record("b", "g", "{\\\"k\\\":2}"));
}
TEST(ChatReader, Bug07AnIndexThatGrowsContinuesTheOpenCall) {
  EXPECT_EQ(read({call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}})"),
                  call(R"({"index":1,"function":{"arguments":":1}"}})"), kCalls})
                .records,
            one_call("a", "f", "{\\\"a\\\":1}"));
}
TEST(ChatReader, Bug08ANameMayFollowItsArguments) {
  EXPECT_EQ(
      read({call(R"({"id":"a","function":{"arguments":"{\"x\":1}"}})"), call(R"({"function":{"name":"f"}})"), kCalls})
          .records,
      one_call("a", "f", "{\\\"x\\\":1}"));
}
TEST(ChatReader, Bug09And10ANameAndAnIdRepeatedAreTheSame) {
  const std::string_view delta = R"({"index":0,"id":"t1","function":{"name":"read_file","arguments":""}})";
  EXPECT_EQ(read({call(delta), call(delta), call(delta), kCalls}).records, one_call("t1", "read_file", "{}"));
}
TEST(ChatReader, Bug11ArgumentsRepeatedWholeAreTakenOnce) {
  EXPECT_EQ(read({call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"c\""}})"),
                  call(R"({"index":0,"function":{"arguments":":1}"}})"),
                  call(R"({"index":0,"function":{"arguments":"{\"c\":1}"}})"), kCalls})
                .records,
            one_call("a", "f", "{\\\"c\\\":1}"));
}
TEST(ChatReader, Bug12ArgumentsMayBeAnObject) {
  EXPECT_EQ(read({call(R"({"index":0,"id":"a","function":{"name":"f","arguments":{"a":1}}})"), kCalls}).records,
            one_call("a", "f", "{\\\"a\\\":1}"));
}
TEST(ChatReader, Bug15AWholeCallCountsWithoutAFinishReason) {
  const Read result = read({call(R"({"index":0,"id":"0","function":{"name":"f","arguments":"{}"}})"), "[DONE]"});
  EXPECT_EQ(result.records, one_call("0", "f", "{}"));
  EXPECT_EQ(result.end, "done tool_use");
  EXPECT_EQ(read({call(R"({"index":0,"id":"0","function":{"name":"f","arguments":"{}"}})")}).end, "done tool_use");
}
TEST(ChatReader, Bug16And17CutArgumentsAreNeverACall) {
  for (const std::string& finish : {kStop, kCalls}) {
    const Read result = read(
        {call(R"({"index":0,"id":"a","function":{"name":"write","arguments":"{\"path\":\"a\",\"content\":\"abc"}})"),
         finish, "[DONE]"});
    EXPECT_EQ(result.records, progress("a", "write"));
    EXPECT_EQ(result.end, "truncated: the arguments of tool call 'write' are not complete JSON");
  }
}
TEST(ChatReader, Bug18TheLastCallBeforeTheLimitIsNotTrusted) {
  const std::string two =
      R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{\"content\":\"x\"}"}})";
  EXPECT_EQ(
      read({call(R"({"index":0,"id":"b","function":{"name":"g","arguments":"{\"content\":\"x\"}"}})"), kLength}).end,
      "truncated: the output limit cut the arguments of tool call 'g'");
  const Read result = read({call(two), kLength});
  EXPECT_EQ(result.records, progress("a", "f") + progress("b", "g") + call_record("a", "f", "{}"));
  EXPECT_EQ(result.end, "done max_tokens");
}

TEST(ChatReader, Bug29AnErrorInsideAHalfWrittenEvent) {
  const Read result = read_at_every_cut<ChatReader>(
      "data: {\"choices\":[{\"del\ndata: {\"type\":\"error\",\"error\":{\"message\":\"stream_read_error\"}}\n\n");
  EXPECT_EQ(result.end, "server: stream_read_error");
}
TEST(ChatReader, Bug31AnEndWithoutAReasonIsACut) {
  const Read result = read({chunk(R"({"content":"a"})")});
  EXPECT_EQ(result.records, text_record("a"));
  EXPECT_EQ(result.end, "stream: the answer ended before it was complete");
}
TEST(ChatReader, Bug32WordsBeatTheTypeOfALateError) {
  EXPECT_EQ(read({chunk(R"({"content":"a"})"),
                  R"({"error":{"type":"invalid_request_error","message":"stream disconnected before completion"}})"})
                .end,
            "server: stream disconnected before completion");
}
TEST(ChatReader, Bug36DoneWithoutAReasonIsAnEndWhereThereIsText) {
  EXPECT_EQ(read({chunk(R"({"content":"a"})"), "[DONE]"}).end, "done end_turn");
  EXPECT_EQ(read({chunk(R"({"content":""})"), "[DONE]"}).end, "stream: the answer ended before it was complete");
}
TEST(ChatReader, Bug39AnErrorWithoutChoices) {
  EXPECT_EQ(read({R"({"error":{"message":"Internal server error","code":500}})"}).end, "server: Internal server error");
}
TEST(ChatReader, Bug40AnErrorBesideChoicesAfterAReason) {
  EXPECT_EQ(
      read(
          {kLength,
           R"({"error":{"code":400,"message":"Token limit reached"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]})"})
          .end,
      "request: Token limit reached");
}
TEST(ChatReader, Bug41ABareErrorField) {
  EXPECT_EQ(read_at_every_cut<ChatReader>("error: {\"error\":{\"message\":\"failed to decode, try again\"}}\n\n").end,
            "server: failed to decode, try again");
}
TEST(ChatReader, AnErrorEventThatIsNoJson) {
  EXPECT_EQ(read_at_every_cut<ChatReader>("event: error\ndata: upstream went away\n\n").end,
            "server: upstream went away");
}
TEST(ChatReader, AnOverflowInsideAStream) {
  EXPECT_EQ(
      read(
          {R"({"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000","type":"BadRequestError","code":400}})"})
          .end.substr(0, 17),
      "context_overflow:");
}

TEST(ChatReader, FinishReasonsOfEveryDialect) {
  const auto end = [](std::string_view reason) {
    return read({chunk(R"({"content":"a"})", "\"" + std::string(reason) + "\"")}).end;
  };
  EXPECT_EQ(end("stop"), "done end_turn");
  EXPECT_EQ(end("length"), "done max_tokens");
  EXPECT_EQ(end("model_length"), "done max_tokens");
  EXPECT_EQ(end("content_filter").substr(0, 7), "policy:");
  EXPECT_EQ(end("engine_overloaded").substr(0, 7), "server:");
  EXPECT_EQ(end("model_context_window_exceeded").substr(0, 17), "context_overflow:");
}

TEST(ChatReader, AMissingDeltaMayBeAMessage) {
  EXPECT_EQ(
      read({R"({"choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]})",
            "[DONE]"})
          .records,
      text_record("whole"));
  EXPECT_EQ(
      read({R"({"choices":[{"index":0,"delta":{"content":"a"},"message":{"content":"a"}}]})", kStop, "[DONE]"}).records,
      text_record("a"));
}

TEST(ChatReader, TrailingGarbageBehindDoneIsIgnored) {
  EXPECT_EQ(read({chunk(R"({"content":"a"})"), kStop, "[DONE] ", "{\"error\":\"late\"}"}).end, "done end_turn");
}

TEST(ChatReader, ASurrogatePairMaySpanTwoPiecesOfArguments) {
  EXPECT_EQ(read({call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":\"\ud83d"}})"),
                  call(R"({"index":0,"function":{"arguments":"\ude00\"}"}})"), kCalls})
                .records,
            one_call("a", "f", "{\\\"a\\\":\\\"\\ud83d\\ude00\\\"}"));
}

TEST(ChatReader, InvalidUtf8IsReplaced) {
  EXPECT_EQ(read({chunk("{\"content\":\"a\xff\"}"), kStop}).records, text_record("a\xEF\xBF\xBD"));
}

TEST(ChatReader, AnIdThatTheConversationHasIsNotUsedAgain) {
  const std::string body =
      events({call(R"({"index":0,"id":"functions.read:0","function":{"name":"read","arguments":"{}"}})"), kCalls});
  const Read result = read_stream<ChatReader>(body, std::string_view::npos, {"test", "", {"functions.read:0"}, {}});
  EXPECT_EQ(result.records, one_call("functions.read:0_2", "read", "{}"));
}

TEST(ChatReader, ARenamedToolGetsItsNameBack) {
  const std::string body =
      events({call(R"({"index":0,"id":"a","function":{"name":"my_tool_0","arguments":"{}"}})"), kCalls});
  const Read result =
      read_stream<ChatReader>(body, std::string_view::npos, {"test", "", {}, {{"my_tool_0", "my tool"}}});
  EXPECT_EQ(result.records, one_call("a", "my tool", "{}"));
}

TEST(ChatReader, AWholeCompletionInPlaceOfAStream) {
  std::string records;
  AnswerWriter out(records, "r1");
  ChatReader reader(out, {"test", "", {}, {}});
  reader.read_document(
      R"({"model":"m","choices":[{"index":0,"message":{"content":"x"},"finish_reason":null}],"usage":{"prompt_tokens":1,"completion_tokens":2}})");
  EXPECT_EQ(records, "{\"type\":\"text\",\"request_id\":\"r1\",\"text\":\"x\"}\n");
  EXPECT_EQ(result_of(reader, "").end, "done end_turn");
  EXPECT_EQ(reader.reported_model(), "m");
}

TEST(ChatReader, ADocumentThatIsNoAnswer) {
  for (const auto& [body, end] :
       {std::pair<std::string_view, std::string_view>{
            R"({"error":{"message":"no such model","type":"invalid_request_error"}})", "request: no such model"},
        {R"([{"error":{"code":503,"message":"busy: overloaded"}}])", "overloaded: busy: overloaded"},
        {"<html><title>502 Bad\nGateway</title>",
         "request: not a model's answer: an HTML page instead of an answer: 502 Bad Gateway"},
        {R"({"ok":true})", R"(request: not a model's answer: {"ok":true})"}}) {
    std::string records;
    AnswerWriter out(records, "");
    ChatReader reader(out, {});
    reader.read_document(body);
    EXPECT_EQ(result_of(reader, "").end, end);
  }
}

}  // namespace
}  // namespace magi::provider
