#include "tools/magi-provider/responses_request.h"

#include "tests/unit/magi-provider/mapping.h"

namespace magi::provider {
namespace {

Mapped map(std::initializer_list<std::string_view> records, std::string_view prompt = {}) {
  return map_records<ResponsesRequest>(records, prompt);
}
std::string input(std::initializer_list<std::string_view> records, std::string_view prompt = {}) {
  return member_of(map(records, prompt), "input");
}

TEST(ResponsesRequest, HeadHoldsWhatStaysTheSame) {
  EXPECT_EQ(
      map({kRequest, kUser}).body,
      R"({"model":"m-1","instructions":"Be \"brief\".","tools":[{"type":"function","name":"read","description":"d","parameters":{"type":"object","properties":{}},"strict":false},)"
      R"({"type":"function","name":"my_tool_ba077b42","description":"","parameters":{"type":"object","properties":{}},"strict":false}],)"
      R"("max_output_tokens":99,"temperature":0.5,"include":["reasoning.encrypted_content"],"prompt_cache_key":"s1","store":false,"stream":true,)"
      R"("input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]})");
}

TEST(ResponsesRequest, CallsAndResultsAreItems) {
  EXPECT_EQ(
      input({kUser, kAssistant, kCallA, kCallB, kResultA, kResultB}),
      R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},)"
      R"({"type":"message","role":"assistant","content":"I look"},)"
      R"({"type":"function_call","call_id":"a","name":"read","arguments":"{\"path\":\"x\"}"},{"type":"function_call","call_id":"b","name":"list","arguments":"{}"},)"
      R"({"type":"function_call_output","call_id":"a","output":"1\n"},{"type":"function_call_output","call_id":"b","output":"no"}])");
}

TEST(ResponsesRequest, AConversationIsAPrefixOfTheNext) {
  const std::string first = input({kUser, kAssistant, kCallA, kResultA});
  const std::string second = input({kUser, kAssistant, kCallA, kResultA, kAssistant, kUser});
  EXPECT_EQ(second.substr(0, first.size() - 1), first.substr(0, first.size() - 1));
}

TEST(ResponsesRequest, SummaryEvidenceAndContextAreTheUsers) {
  EXPECT_EQ(
      input({R"({"type":"summary","text":"S","generation":1})", R"({"type":"evidence","text":"E","effects":{}})",
             R"({"type":"context","kind":"skills","text":"C"})", kUser}),
      R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"Summary of the conversation so far:\n\nS"}]},)"
      R"({"type":"message","role":"user","content":[{"type":"input_text","text":"E"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"C"}]},)"
      R"({"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}])");
}

TEST(ResponsesRequest, ReasoningGoesToItsOwnFamilyInFrontOfWhatItLedTo) {
  const std::string own =
      R"({"type":"provider_item","provider":"test","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"A"}})";
  const std::string foreign =
      R"({"type":"provider_item","provider":"anthropic","item":{"type":"thinking","thinking":"t","signature":"s"}})";
  EXPECT_EQ(
      input({kUser, own, foreign, kCallB, kResultB}),
      R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"A"},)"
      R"({"type":"function_call","call_id":"b","name":"list","arguments":"{}"},{"type":"function_call_output","call_id":"b","output":"no"}])");
  // Bug 79: reasoning that nothing followed.
  EXPECT_EQ(input({kUser, own, kUser}), input({kUser, kUser}));
}

TEST(ResponsesRequest, FamiliesShareTheirItems) {
  const std::string item =
      R"({"type":"provider_item","provider":"openai-codex","item":{"type":"compaction","encrypted_content":"A"}})";
  EXPECT_EQ(member_of(map_records<ResponsesRequest>({kUser, item, kAssistant, kUser}, {}, {"openai", ""}), "input")
                    .find("compaction") == std::string::npos,
            false);
  EXPECT_EQ(input({kUser, item, kUser}), input({kUser, kUser}));
}

TEST(ResponsesRequest, PicturesAreDataUrls) {
  EXPECT_EQ(
      input({kPicture}),
      R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw==","detail":"auto"}]}])");
}

TEST(ResponsesRequest, ReasoningEffortIsTheLastSelected) {
  EXPECT_EQ(member_of(map({R"({"type":"reasoning_selection","selection":{"effort":"low"}})", kUser,
                           R"({"type":"reasoning_selection","selection":{"effort":"high"}})", kUser}),
                      "reasoning"),
            R"({"effort":"high"})");
  EXPECT_EQ(member_of(map({R"({"type":"request","parameters":{"reasoning":{"effort":"minimal","summary":"auto"}}})",
                           R"({"type":"reasoning_selection","selection":{"effort":"high"}})", kUser}),
                      "reasoning"),
            R"({"effort":"minimal","summary":"auto"})");
  EXPECT_EQ(member_of(map({kUser}), "reasoning"), "");
}

TEST(RequestMapper, CallsWithoutResultGetOne) {
  const Mapped mapped = map({kUser, kCallA, kCallB, kResultB, kUser});
  EXPECT_NE(
      mapped.body.find(
          R"({"type":"function_call_output","call_id":"a","output":"The call was interrupted and has no result."})"),
      std::string::npos);
  EXPECT_EQ(mapped.notices, std::vector<std::string>{"call 'a' has no result: sent as interrupted"});
}

TEST(RequestMapper, ResultsWithoutCallAreLeftOut) {
  const Mapped mapped = map({kUser, kResultA, kAssistant, kUser});
  EXPECT_EQ(mapped.body.find("function_call_output"), std::string::npos);
  EXPECT_EQ(mapped.notices.size(), 1u);
  // A second result of one call.
  EXPECT_EQ(map({kUser, kCallA, kResultA, kResultA}).notices.size(), 1u);
}

TEST(RequestMapper, AnIdUsedTwiceBecomesTwo) {
  const std::string body = input({kUser, kCallA, kResultA, kCallA, kResultA});
  EXPECT_NE(body.find(R"("call_id":"a_2","output")"), std::string::npos) << body;
}

TEST(RequestMapper, ArgumentsThatAreNoObjectBecomeAnEmptyOne) {
  for (const std::string_view arguments : {"{\\\"path\\\":\\\"a", "[1]", "\\\"x\\\"", "", "null"}) {
    const std::string call =
        R"({"type":"tool_call","call_id":"b","name":"list","arguments":")" + std::string(arguments) + "\"}";
    EXPECT_EQ(input({kUser, call, kResultB}), input({kUser, kCallB, kResultB})) << arguments;
  }
}

TEST(RequestMapper, BlankTextsAreNotSent) {
  EXPECT_EQ(input({kUser, R"({"type":"assistant","text":" \n"})", R"({"type":"user","text":""})",
                   R"({"type":"context","kind":"x","text":"\t"})", kUser}),
            input({kUser, kUser}));
}

TEST(RequestMapper, Bug82HalfASurrogatePairIsReplaced) {
  EXPECT_EQ(
      input({R"({"type":"user","text":"a\ud83d"})"}),
      "[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"a\xEF\xBF\xBD\"}]}]");
  EXPECT_NE(
      input({kUser, R"({"type":"tool_call","call_id":"b","name":"list","arguments":"{\"a\":\"\\ud83d\"}"})", kResultB})
          .find("{\\\"a\\\":\\\"\xEF\xBF\xBD\\\"}"),
      std::string::npos);
  EXPECT_NE(input({kUser, kCallB, R"({"type":"tool_result","call_id":"b","output":"\ude00 \ud83d\ude00"})"})
                .find("\"output\":\"\xEF\xBF\xBD \\ud83d\\ude00\""),
            std::string::npos);
}

TEST(RequestMapper, Bug76LongIdsAreShortenedAlike) {
  const std::string id(90, 'x');
  const std::string body =
      input({kUser, R"({"type":"tool_call","call_id":")" + id + R"(","name":"n","arguments":"{}"})",
             R"({"type":"tool_result","call_id":")" + id + R"(","output":"o"})"});
  const std::string shortened = std::string(55, 'x') + "_" + body.substr(body.find("_", body.find("xxx")) + 1, 8);
  EXPECT_EQ(shortened.size(), 64u);
  EXPECT_NE(body.find(R"("call_id":")" + shortened + R"(","name")"), std::string::npos);
  EXPECT_NE(body.find(R"("call_id":")" + shortened + R"(","output")"), std::string::npos);
}

TEST(RequestMapper, APromptStandsBehindTheConversation) {
  EXPECT_EQ(input({kUser, kAssistant}, "go \"on\"\n"),
            input({kUser, kAssistant, R"({"type":"user","text":"go \"on\"\n"})"}));
  EXPECT_EQ(input({}, "hi"), input({kUser}));
}

TEST(RequestMapper, WhatAsksNothingIsRefused) {
  EXPECT_EQ(map({kUser, kAssistant}).error, "the conversation ends with the assistant: give --prompt");
  EXPECT_EQ(map({}).error, "the conversation is empty: give --prompt");
  EXPECT_EQ(map({R"({"type":"user","text":" "})"}).error, "the conversation is empty: give --prompt");
  EXPECT_EQ(map({R"({"type":"user"})"}).error, "field 'text' is missing or not a string");
  EXPECT_EQ(map({R"({"type":"request","tools":[{"description":"x"}]})"}).error, "a tool without a name");
}

}  // namespace
}  // namespace magi::provider
