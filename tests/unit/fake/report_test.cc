#include "tests/fake/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace magi::fake {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Report read(Api api, const std::string& body) {
  json::Parser parser;
  const auto node = parser.parse(body);
  EXPECT_TRUE(node.has_value()) << body;
  return read_request(api, *node);
}
std::vector<std::string> problems(Api api, const std::string& body) { return read(api, body).problems; }

std::string responses(const std::string& items, const std::string& more = "") {
  return R"({"model":"m","stream":true,"store":false,"input":[)" + items + "]" + more + "}";
}
std::string messages(const std::string& list, const std::string& more = "") {
  return R"({"model":"m","max_tokens":100,"stream":true,"messages":[)" + list + "]" + more + "}";
}
std::string chat(const std::string& list, const std::string& more = "") {
  return R"({"model":"m","stream":true,"messages":[)" + list + "]" + more + "}";
}

const std::string kAsk = R"({"role":"user","content":"hi"})";
const std::string kCallA = R"({"type":"function_call","call_id":"a","name":"read","arguments":"{}"})";
const std::string kCallB = R"({"type":"function_call","call_id":"b","name":"read","arguments":"{}"})";
const std::string kOutA = R"({"type":"function_call_output","call_id":"a","output":""})";
const std::string kOutB = R"({"type":"function_call_output","call_id":"b","output":"x"})";

TEST(RequestChecker, AcceptsAWholeConversationOfEachApi) {
  EXPECT_THAT(problems(Api::kResponses, responses(kAsk + "," + kCallA + "," + kCallB + "," + kOutA + "," + kOutB)),
              IsEmpty());
  EXPECT_THAT(problems(Api::kMessages, messages(kAsk + R"(,{"role":"assistant","content":[{"type":"text","text":"ok"},
        {"type":"tool_use","id":"a","name":"read","input":{}},{"type":"tool_use","id":"b","name":"read","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},
        {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"y"}],"is_error":true}]})")),
              IsEmpty());
  EXPECT_THAT(
      problems(Api::kChat, chat(R"({"role":"system","content":"s"},)" + kAsk + R"(,{"role":"assistant","content":null,
        "tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":""})")),
      IsEmpty());
}

TEST(RequestChecker, CountsAssistantTurnsAndThoseSinceTheUser) {
  const Report report = read(
      Api::kResponses,
      responses(kAsk + R"(,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},)" +
                kCallA + "," + kOutA + R"(,{"role":"assistant","content":"y"},)" + kAsk + "," + kCallB + "," + kOutB));
  EXPECT_EQ(report.assistant_turns, 3u);
  EXPECT_EQ(report.since_user, 1u);
}

TEST(RequestChecker, FindsCallsWithoutResultsAndTheReverse) {
  EXPECT_THAT(problems(Api::kResponses, responses(kAsk + "," + kCallA + "," + kAsk)),
              ElementsAre("history: call a has no result before the next user message"));
  EXPECT_THAT(problems(Api::kResponses, responses(kAsk + "," + kOutA)),
              ElementsAre("history: result for a, which is no open call"));
  EXPECT_THAT(problems(Api::kResponses, responses(kAsk + "," + kCallA + "," + kOutA + "," + kOutA)),
              ElementsAre("history: result for a, which has one already"));
  EXPECT_THAT(
      problems(Api::kChat, chat(kAsk + R"(,{"role":"assistant","tool_calls":[{"id":"a","type":"function",
        "function":{"name":"f","arguments":"{}"}}]})")),
      ElementsAre("history: call a has no result at the end", "history: ends with the assistant: nothing is asked"));
}

TEST(RequestChecker, FindsDoubledCallsAndResultsOutOfOrder) {
  EXPECT_THAT(problems(Api::kResponses, responses(kAsk + "," + kCallA + "," + kCallB + "," + kOutB + "," + kOutA)),
              ElementsAre("history: call b is answered before a, which was called first"));
  EXPECT_THAT(problems(Api::kResponses, responses(kAsk + "," + kCallA + "," + kOutA + "," + kCallA + "," + kOutA)),
              ElementsAre("history: call a occurs twice"));
}

TEST(RequestChecker, FindsHalfSurrogatePairs) {
  EXPECT_THAT(problems(Api::kChat, chat(R"({"role":"user","content":"x \ud83d y"})")),
              ElementsAre("body: holds half of a surrogate pair"));
  EXPECT_THAT(problems(Api::kChat, chat(R"({"role":"user","content":"\ud83d\ude00 \\ud83d"})")), IsEmpty());
}

TEST(RequestChecker, FindsUnknownAndDoubledParameters) {
  EXPECT_THAT(problems(Api::kChat, chat(kAsk, R"(,"modle":1)")), ElementsAre("body: unknown parameter modle"));
  EXPECT_THAT(problems(Api::kChat, chat(kAsk, R"(,"seed":1,"seed":2)")), ElementsAre("body: seed is given twice"));
  EXPECT_THAT(problems(Api::kChat, R"({"messages":[{"role":"user","content":"x"}]})"),
              ElementsAre("body: model is missing or empty"));
}

struct Case {
  const char* body;
  const char* problem;
};

TEST(RequestChecker, KnowsTheRulesOfResponses) {
  const Case cases[] = {
      {R"({"role":"user","content":""})", "input[0]: the text is empty"},
      {R"({"role":"user","content":[]})", "input[0]: content is an empty list"},
      {R"({"role":"user","content":[{"type":"output_text","text":"x"}]})",
       "input[0]: a part of type 'output_text' does not belong here"},
      {R"({"role":"tool","content":"x"})", "input[0]: role 'tool' is unknown"},
      {R"({"type":"mystery"})", "input[0]: items of type 'mystery' are unknown"},
      {R"({"type":"function_call","call_id":"a","name":"a b","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"})",
       "input[0]: the name is not 1 to 64 of a-z A-Z 0-9 _ -"},
      {R"({"type":"function_call","call_id":"a","name":"f","arguments":"{"},{"type":"function_call_output","call_id":"a","output":"x"})",
       "input[0]: the arguments are not one JSON object"},
      {R"({"type":"function_call","call_id":"a","name":"f","arguments":{}},{"type":"function_call_output","call_id":"a","output":"x"})",
       "input[0]: the arguments are not a string"},
      {R"({"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a"})",
       "input[1]: output is neither text nor a list of parts"},
      {R"({"type":"reasoning","id":"r","summary":[]},{"role":"assistant","content":"x"},{"role":"user","content":"x"})",
       "input[0]: reasoning without encrypted_content, and store is false"},
      {R"({"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"},{"role":"user","content":"x"})",
       "input[1]: follows reasoning that was provided without its item"},
      {R"({"role":"user","content":"x","id":"i"},{"role":"user","content":"x","id":"i"})",
       "input[1]: id i occurs twice"},
  };
  for (const Case& c : cases)
    EXPECT_THAT(problems(Api::kResponses, responses(c.body)), ElementsAre(c.problem)) << c.body;
}

TEST(RequestChecker, KnowsTheRulesOfMessages) {
  const Case cases[] = {
      {R"({"role":"assistant","content":"x"},{"role":"user","content":"x"})",
       "messages[0]: the first message is not the user's"},
      {R"({"role":"user","content":"x"},{"role":"user","content":"y"})",
       "messages[1]: two messages of one role follow each other"},
      {R"({"role":"user","content":" \n"})", "messages[0]: text content blocks must be non-empty"},
      {R"({"role":"user","content":[{"type":"text","text":""}]})",
       "messages[0].content[0]: text content blocks must be non-empty"},
      {R"({"role":"system","content":"x"})", "messages[0]: role 'system' is unknown"},
      {R"({"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]},{"role":"user","content":"x"})",
       "messages[1].content[0]: signature is missing or empty"},
  };
  for (const Case& c : cases)
    EXPECT_THAT(problems(Api::kMessages, messages(c.body)), ::testing::Contains(c.problem)) << c.body;
}

TEST(RequestChecker, WantsToolResultsFirstInTheirMessage) {
  const std::string use = R"(,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},)";
  EXPECT_THAT(problems(Api::kMessages, messages(kAsk + use + R"({"role":"user","content":[{"type":"text","text":"x"},
        {"type":"tool_result","tool_use_id":"a","content":"x"}]})")),
              ElementsAre("messages[2].content[1]: a tool_result stands behind other blocks"));
  EXPECT_THAT(problems(Api::kMessages, messages(kAsk + use + kAsk)),
              ElementsAre("history: call a has no result before the next user message"));
}

TEST(RequestChecker, AllowsFourCacheBreakpoints) {
  const auto blocks = [](int marks) {
    std::string out = R"({"role":"user","content":[)";
    for (int i = 0; i < marks; ++i)
      out += std::string(i ? "," : "") + R"({"type":"text","text":"x","cache_control":{"type":"ephemeral"}})";
    return out + "]}";
  };
  EXPECT_THAT(problems(Api::kMessages, messages(blocks(4))), IsEmpty());
  EXPECT_THAT(problems(Api::kMessages, messages(blocks(5))),
              ElementsAre("messages[0].content[4]: is the fifth block with cache_control"));
}

TEST(RequestChecker, KnowsTheRulesOfChat) {
  const Case cases[] = {
      {R"({"role":"user","content":""})", "messages[0]: the text is empty"},
      {R"({"role":"user"})", "messages[0]: content is neither text nor a list of parts"},
      {R"({"role":"user","content":"x"},{"role":"system","content":"y"})",
       "messages[1]: a system message behind the conversation's start"},
      {R"({"role":"user","content":"x"},{"role":"assistant","content":""},{"role":"user","content":"x"})",
       "messages[1]: the text is empty"},
      {R"({"role":"user","content":"x"},{"role":"assistant","tool_calls":[]},{"role":"user","content":"x"})",
       "messages[1]: tool_calls is an empty list"},
      {R"({"role":"user","content":"x"},{"role":"robot","content":"x"})", "messages[1]: role 'robot' is unknown"},
  };
  for (const Case& c : cases) EXPECT_THAT(problems(Api::kChat, chat(c.body)), ElementsAre(c.problem)) << c.body;
}

TEST(RequestChecker, ChecksToolDefinitions) {
  const auto tool = [](const std::string& parameters, const std::string& strict = "false") {
    return problems(Api::kResponses, responses(kAsk, R"(,"tools":[{"type":"function","name":"f","parameters":)" +
                                                         parameters + R"(,"strict":)" + strict + "}]"));
  };
  EXPECT_THAT(
      tool(R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"]})"),
      IsEmpty());
  EXPECT_THAT(tool("{}"), ElementsAre("tools[0]: the schema's type is not \"object\""));
  EXPECT_THAT(tool("null"), ElementsAre("tools[0]: the schema is not an object"));
  EXPECT_THAT(tool(R"({"type":"object","required":["a"]})"), ElementsAre("tools[0]: requires a, which is no property"));
  EXPECT_THAT(tool(R"({"type":"object","properties":{"a":{}}})"), ElementsAre("tools[0].a: has no type"));
  EXPECT_THAT(tool(R"({"type":"object","properties":{"a":{"type":"array"}}})"),
              ElementsAre("tools[0].a: is an array without items"));
  EXPECT_THAT(tool(R"({"type":"object","properties":{}})", "null"), ElementsAre("tools[0]: strict is not stated"));
  EXPECT_THAT(tool(R"({"type":"object","properties":{"a":{"type":"string"}}})", "true"),
              ElementsAre("tools[0]: is strict but does not require every property",
                          "tools[0]: is strict but does not forbid additional properties"));
}

TEST(RequestChecker, RefusesTwoToolsOfOneName) {
  const std::string tool = R"({"name":"f","input_schema":{"type":"object","properties":{}}})";
  EXPECT_THAT(problems(Api::kMessages, messages(kAsk, ",\"tools\":[" + tool + "," + tool + "]")),
              ElementsAre("tools: two have one name"));
}

}  // namespace
}  // namespace magi::fake
