#include "tools/magi-provider/responses_reader.h"

#include "tests/unit/magi-provider/reading.h"

namespace magi::provider {
namespace {

Read read(std::initializer_list<std::string_view> lines) { return read_at_every_cut<ResponsesReader>(events(lines)); }

constexpr std::string_view kCreated = R"({"type":"response.created","response":{"id":"resp_1","model":"m-1"}})";
constexpr std::string_view kCompleted =
    R"({"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":90,"input_tokens_details":{"cached_tokens":64},"output_tokens":21,"output_tokens_details":{"reasoning_tokens":12},"total_tokens":111}}})";
constexpr std::string_view kDelta =
    R"({"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hel"})";
constexpr std::string_view kCallAdded =
    R"({"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_a","name":"read","arguments":""}})";
constexpr std::string_view kCallDelta =
    R"({"type":"response.function_call_arguments.delta","output_index":1,"item_id":"fc_1","delta":"{\"path\":\"a\"}"})";
constexpr std::string_view kCallDone =
    R"({"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_a","name":"read","arguments":"{\"path\":\"a\"}"}})";
constexpr std::string_view kReasoningDone =
    R"({"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"AAA"}})";

constexpr std::string_view kText = "{\"type\":\"text\",\"text\":\"Hel\"}\n";
constexpr std::string_view kProgress = "{\"type\":\"tool_progress\",\"call_id\":\"call_a\",\"name\":\"read\"}\n";
constexpr std::string_view kCall =
    "{\"type\":\"tool_call\",\"call_id\":\"call_a\",\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\\\"a\\\"}\"}\n";
constexpr std::string_view kItem =
    "{\"type\":\"provider_item\",\"provider\":\"test\",\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],"
    "\"encrypted_content\":\"AAA\"}}\n";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

TEST(ResponsesReader, ReadsTextReasoningAndUsage) {
  const Read result = read(
      {kCreated, R"({"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"Why"})",
       R"({"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1,"part":{}})", kDelta,
       kCompleted, "[DONE]"});
  EXPECT_EQ(
      result.records,
      joined({"{\"type\":\"reasoning\",\"text\":\"Why\"}\n{\"type\":\"reasoning\",\"text\":\"\\n\\n\"}\n", kText}));
  EXPECT_EQ(result.end, "done end_turn");
  EXPECT_EQ(result.usage, "in 90 cached 64 out 21 thought 12");
}

std::string delta_of(int number, std::string_view text, int index = 0) {
  return R"({"type":"response.output_text.delta","sequence_number":)" + std::to_string(number) +
         R"(,"item_id":"m","output_index":)" + std::to_string(index) + R"(,"delta":")" + std::string(text) + "\"}";
}
std::string said_in(const Read& read) {
  std::string text;
  json::Parser parser;
  for (std::size_t at = 0, end = 0; (end = read.records.find('\n', at)) != std::string::npos; at = end + 1) {
    const auto record = parser.parse(read.records.substr(at, end - at));
    if (event::record_type(*record) == event::Text::kType) text += *record->find("text").as_string();
  }
  return text;
}

// Deltas that look alike are not parsed each for itself; those that only nearly do are.
TEST(ResponsesReader, DeltasThatLookAlikeAreReadAlike) {
  const Read result = read(
      {delta_of(1, "a"), delta_of(22, "b c"), delta_of(303, "d\\n\\\"e"), delta_of(304, "\xC3\xA9"), delta_of(305, "f"),
       delta_of(306, ""), delta_of(307, "g", 1),
       R"({"type":"response.output_text.delta","sequence_number":308,"item_id":"m","output_index":1,"delta":"h","more":"i"})",
       R"({"type":"response.refusal.delta","sequence_number":309,"item_id":"m","output_index":1,"delta":"j"})",
       delta_of(310, "k", 1), kCompleted});
  EXPECT_EQ(said_in(result),
            "ab cd\n\"e\xC3\xA9"
            "fghjk");
}

TEST(ResponsesReader, WhatDeltasLostIsInTheWholeText) {
  const auto done = [](std::string_view text) {
    return R"({"type":"response.output_text.done","output_index":0,"text":")" + std::string(text) + "\"}";
  };
  EXPECT_EQ(said_in(read(
                {delta_of(1, "one "), delta_of(2, "two"), done("one two three"), done("one two three"), kCompleted})),
            "one two three");
  // A text that is another than what has come cannot take its place any more.
  EXPECT_EQ(said_in(read({delta_of(1, "one "), done("uno dos"), kCompleted})), "one ");
}

TEST(ResponsesReader, CallsComeOutOnceTheAnswerIsWhole) {
  const Read result = read({kCreated, kCallAdded, kCallDelta, kCallDone, kCompleted});
  EXPECT_EQ(result.records, joined({kProgress, kCall}));
  EXPECT_EQ(result.end, "done tool_use");
  const Read cut = read({kCreated, kCallAdded, kCallDelta, kCallDone});
  EXPECT_EQ(cut.records, kProgress);
  EXPECT_EQ(cut.end, "stream: the answer ended before it was complete");
}

TEST(ResponsesReader, ReasoningStandsInFrontOfWhatItLedTo) {
  EXPECT_EQ(
      read({kReasoningDone, R"({"type":"response.output_text.delta","output_index":1,"delta":"Hel"})", kCompleted})
          .records,
      joined({kItem, kText}));
  EXPECT_EQ(read({kReasoningDone, kCallAdded, kCallDone, kCompleted}).records, joined({kProgress, kItem, kCall}));
}

TEST(ResponsesReader, ReasoningAloneLeavesNothingBehindACut) {
  const Read result = read({kCreated, kReasoningDone});
  EXPECT_EQ(result.records, "");
  EXPECT_EQ(result.end.substr(0, 7), "stream:");
}

TEST(ResponsesReader, ReasoningThatCannotBeSentBackIsNotKept) {
  EXPECT_EQ(
      read(
          {R"({"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":null}})",
           kCompleted})
          .records,
      "");
}

TEST(ResponsesReader, UnknownItemsAreKeptVerbatimButForWhiteSpace) {
  EXPECT_EQ(
      read(
          {R"({"type":"response.output_item.done","output_index":0,"item":{"type":"web_search_call", "id":"ws_1","action":{"q":"a  b"}}})",
           kCompleted})
          .records,
      "{\"type\":\"provider_item\",\"provider\":\"test\",\"item\":{\"type\":\"web_search_call\",\"id\":\"ws_1\","
      "\"action\":{\"q\":\"a  b\"}}}\n");
}

TEST(ResponsesReader, CallsThatNoToolStandsBehindAreLeftOut) {
  EXPECT_EQ(
      read(
          {R"({"type":"response.output_item.done","output_index":0,"item":{"type":"custom_tool_call","call_id":"c","name":"x","input":"y"}})",
           kCompleted})
          .records,
      "");
}

TEST(ResponsesReader, Bug43ItemsAreKnownByIndexNotById) {
  const Read result = read(
      {R"({"type":"response.output_item.added","output_index":0,"item":{"id":"x1","type":"function_call","call_id":"call_a","name":"read","arguments":""}})",
       R"({"type":"response.function_call_arguments.delta","output_index":0,"item_id":"x2","delta":"{\"path\":\"a\"}"})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"id":"x3","type":"function_call","call_id":"call_a","name":"read","arguments":"{\"path\":\"a\"}"}})",
       kCompleted});
  EXPECT_EQ(result.records, joined({kProgress, kCall}));
}

TEST(ResponsesReader, WithoutIndexesItemsAreKnownById) {
  const Read result = read(
      {R"({"type":"response.output_item.added","item":{"id":"a","type":"function_call","call_id":"call_a","name":"read","arguments":""}})",
       R"({"type":"response.output_item.added","item":{"id":"b","type":"function_call","call_id":"call_b","name":"list","arguments":""}})",
       R"({"type":"response.function_call_arguments.delta","item_id":"b","delta":"{}"})",
       R"({"type":"response.function_call_arguments.delta","item_id":"a","delta":"{\"path\":\"a\"}"})", kCompleted});
  EXPECT_EQ(result.records,
            joined({kProgress, "{\"type\":\"tool_progress\",\"call_id\":\"call_b\",\"name\":\"list\"}\n", kCall,
                    "{\"type\":\"tool_call\",\"call_id\":\"call_b\",\"name\":\"list\",\"arguments\":\"{}\"}\n"}));
}

TEST(ResponsesReader, EmptyArgumentsAreAnEmptyObject) {
  EXPECT_EQ(
      read(
          {R"({"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"call_a","name":"read","arguments":""}})",
           kCompleted})
          .records,
      joined({kProgress, "{\"type\":\"tool_call\",\"call_id\":\"call_a\",\"name\":\"read\",\"arguments\":\"{}\"}\n"}));
}

TEST(ResponsesReader, TheFinalOutputServesWhereNoItemsCame) {
  const Read result = read(
      {kCreated,
       R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hel"}]},{"type":"function_call","call_id":"call_a","name":"read","arguments":"{\"path\":\"a\"}"}]}})"});
  EXPECT_EQ(result.records, joined({kText, kProgress, kCall}));
}

TEST(ResponsesReader, TheFinalOutputRepeatsNothing) {
  const Read result = read(
      {kDelta,
       R"({"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hel"}]}})",
       kCallAdded, kCallDone,
       R"({"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"Hel"}]},{"type":"function_call","call_id":"call_a","name":"read","arguments":"{}"}]}})"});
  EXPECT_EQ(result.records, joined({kText, kProgress, kCall}));
}

TEST(ResponsesReader, TextThatComesAtItsEndOnly) {
  EXPECT_EQ(
      read({R"({"type":"response.output_text.done","output_index":0,"content_index":0,"text":"Hel"})", kCompleted})
          .records,
      kText);
}

TEST(ResponsesReader, NothingCountsBehindTheTerminalEvent) {
  const Read result = read({kDelta, kCompleted, kDelta});
  EXPECT_EQ(result.records, kText);
  EXPECT_EQ(result.end, "done end_turn");
}

TEST(ResponsesReader, TheLimitCutsACall) {
  constexpr std::string_view kIncomplete =
      R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}})";
  EXPECT_EQ(read({kDelta, kIncomplete}).end, "done max_tokens");
  EXPECT_EQ(
      read(
          {kCallAdded,
           R"({"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","status":"incomplete","call_id":"call_a","name":"read","arguments":"{\"path\":\"a\"}"}})",
           kIncomplete})
          .end,
      "truncated: the output limit cut the arguments of tool call 'read'");
  EXPECT_EQ(read({kCallAdded, R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"pa"})",
                  kIncomplete})
                .end,
            "truncated: the output limit cut the arguments of tool call 'read'");
  EXPECT_EQ(read({R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}})"})
                .end.substr(0, 7),
            "policy:");
}

TEST(ResponsesReader, ARefusalIsTextWithAReasonOfItsOwn) {
  const Read result =
      read({R"({"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"Hel"})",
            R"({"type":"response.refusal.done","output_index":0,"content_index":0,"refusal":"Hel"})", kCompleted});
  EXPECT_EQ(result.records, kText);
  EXPECT_EQ(result.end, "done refusal");
}

TEST(ResponsesReader, ErrorsInsideTheStream) {
  EXPECT_EQ(
      read(
          {R"({"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Please try again in 11.054s"},"usage":null}})"})
          .end,
      "rate_limit: Please try again in 11.054s");
  EXPECT_EQ(read({R"({"type":"error","code":"server_error","message":"oops","param":null})"}).end, "server: oops");
  EXPECT_EQ(
      read(
          {R"({"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"too long"}})"})
          .end,
      "context_overflow: too long");
  EXPECT_EQ(read({R"({"type":"error","error":{"code":"insufficient_quota","message":"pay"}})"}).end, "quota: pay");
}

TEST(ResponsesReader, Bug30AnEndBeforeCompletedIsACut) {
  const Read result = read({kCreated, kDelta, kDelta});
  EXPECT_EQ(result.records, joined({kText, kText}));
  EXPECT_EQ(result.end, "stream: the answer ended before it was complete");
}

TEST(ResponsesReader, UnknownEventsAndBrokenOnesAreSkipped) {
  EXPECT_EQ(
      read({R"({"type":"response.web_search_call.searching","output_index":0})", "{broken", R"({"type":"keepalive"})",
            R"({"no":"type"})", "[1]", kDelta, R"({"type":"response.done","response":{}})"})
          .records,
      kText);
}

TEST(ResponsesReader, AWholeResponseInPlaceOfAStream) {
  std::string records;
  AnswerWriter out(records, "");
  ResponsesReader reader(out, {"test", "", {}, {}});
  reader.read_document(
      R"({"id":"r","model":"m","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"Hel"}]}],"usage":{"input_tokens":1,"output_tokens":2}})");
  EXPECT_EQ(records, kText);
  EXPECT_EQ(result_of(reader, "").end, "done end_turn");
}

}  // namespace
}  // namespace magi::provider
