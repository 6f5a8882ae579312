// Reports of what broke other clients, by their numbers in the collection: histories that the next request carries.
// map_records() lets the request checker of the tests judge every body.
#include <gtest/gtest.h>

#include "tests/unit/magi-provider/mapping.h"

namespace magi::provider {
namespace {

using Records = std::initializer_list<std::string_view>;

struct Bodies {
  std::string responses, messages, chat;
};

Bodies bodies_of(Records records, std::string_view provider = "test", std::string_view prompt = {}) {
  const MapperOptions options{std::string(provider), "http://h/v1"};
  return {map_records<ResponsesRequest>(records, prompt, options).body,
          map_records<MessagesRequest>(records, prompt, options).body,
          map_records<ChatRequest>(records, prompt, options).body};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

constexpr std::string_view kInterrupted = "The call was interrupted and has no result.";

// The native interface of Ollama, which wants an object, is not spoken.
TEST(DialectBugs, Bug13And14ArgumentsAreTextInChatAndAnObjectInMessages) {
  const Bodies bodies = bodies_of({kUser, kCallA, kResultA});
  EXPECT_TRUE(holds(bodies.chat, R"("arguments":"{\"path\":\"x\"}")"));
  EXPECT_TRUE(holds(bodies.responses, R"("arguments":"{\"path\":\"x\"}")"));
  EXPECT_TRUE(holds(bodies.messages, R"("input":{"path":"x"})"));
}
TEST(DialectBugs, Bug17CutArgumentsInAHistoryBecomeAnEmptyObject) {
  const Bodies bodies = bodies_of(
      {kUser, R"({"type":"tool_call","call_id":"b","name":"write","arguments":"{\"path\":\"a\",\"content\":\"abc"})",
       R"({"type":"tool_result","call_id":"b","status":"error","output":"not run"})"});
  EXPECT_TRUE(holds(bodies.chat, R"("arguments":"{}")"));
  EXPECT_TRUE(holds(bodies.messages, R"("input":{})"));
}
TEST(DialectBugs, Bug66And67InterruptedCallsGetResultsBeforeTheNextText) {
  const Bodies bodies = bodies_of({kUser, kCallA, kCallB, kUser});
  EXPECT_EQ(count(bodies.responses, kInterrupted), 2u);
  EXPECT_EQ(count(bodies.messages, kInterrupted), 2u);
  EXPECT_EQ(count(bodies.chat, kInterrupted), 2u);
  bodies_of({kUser, kCallA, kCallB}, "test", "go on");
}
TEST(DialectBugs, Bug68And69And70AResultWithoutItsCallIsLeftOut) {
  const Bodies bodies = bodies_of({kUser, kResultA, kCallB, kResultB, kResultA, kUser});
  EXPECT_EQ(count(bodies.chat, R"("role":"tool")"), 1u);
  EXPECT_EQ(count(bodies.messages, R"("tool_result")"), 1u);
  EXPECT_EQ(count(bodies.responses, "function_call_output"), 1u);
}
TEST(DialectBugs, Bug71ACallCutOffWithAnotherModelsIdIsCovered) {
  const Bodies bodies =
      bodies_of({kUser, R"({"type":"assistant","text":"I","status":"cancelled"})",
                 R"({"type":"tool_call","call_id":"call_1|fc_2","name":"read","arguments":"{}"})", kUser});
  EXPECT_EQ(count(bodies.messages, "call_1_fc_2_"), 2u);
}
TEST(DialectBugs, Bug72ThinkingGoesBackByteForByte) {
  const std::string_view item =
      R"({"type":"provider_item","provider":"anthropic","item":{"type":"thinking","thinking":" a\n\t\"b\" é ","signature":"S+/=="}})";
  const std::string body =
      map_records<MessagesRequest>({kUser, item, kAssistant, kUser}, {}, {"claude-subscription", "http://h"}).body;
  EXPECT_TRUE(holds(body, R"([{"type":"thinking","thinking":" a\n\t\"b\" é ","signature":"S+/=="},{"type":"text")"));
}
TEST(DialectBugs, Bug73ThinkingOfAnotherFamilyIsDropped) {
  const std::string_view codex =
      R"({"type":"provider_item","provider":"openai-codex","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"A"}})";
  const Bodies bodies =
      bodies_of({kUser, codex, R"({"type":"tool_call","call_id":"call_x|fc_y","name":"read","arguments":"{}"})",
                 R"({"type":"tool_result","call_id":"call_x|fc_y","output":"o"})"},
                "anthropic");
  EXPECT_FALSE(holds(bodies.messages, "encrypted_content"));
  EXPECT_TRUE(holds(bodies.messages, "call_x_fc_y_"));
}
TEST(DialectBugs, Bug74And75And76IdsAreMadeLegalAlikeForCallAndResult) {
  const std::string long_id(43, 'k');
  const std::string call = R"({"type":"tool_call","call_id":")" + long_id + R"(","name":"n","arguments":"{}"})";
  const std::string result = R"({"type":"tool_result","call_id":")" + long_id + R"(","output":"o"})";
  const Bodies bodies =
      bodies_of({kUser, R"({"type":"tool_call","call_id":"functions.read:0","name":"n","arguments":"{}"})",
                 R"({"type":"tool_result","call_id":"functions.read:0","output":"o"})", call, result});
  EXPECT_EQ(count(bodies.messages, "\"functions_read_0_"), 2u);
  EXPECT_EQ(count(bodies.chat, std::string(31, 'k') + "_"), 2u);
  EXPECT_EQ(count(bodies.responses, long_id), 2u);
  const std::string mistral =
      map_records<ChatRequest>({kUser, call, result}, {}, {"test", "https://api.mistral.ai/v1"}).body;
  EXPECT_FALSE(holds(mistral, "kkk"));
}
TEST(DialectBugs, Bug77ReasoningThatNothingHoldsIsDropped) {
  // The reader keeps none without its encrypted form; see ResponsesReader.
  const std::string_view item =
      R"({"type":"provider_item","provider":"test","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"A"}})";
  EXPECT_FALSE(holds(bodies_of({kUser, item, kUser}).responses, "reasoning\",\"id"));
}
TEST(DialectBugs, Bug78ReasoningGoesBackAsItCame) {
  const std::string_view item =
      R"({"type":"provider_item","provider":"test","item":{"type":"reasoning","id":"rs","content":[{"type":"reasoning_text","text":"why"}],"summary":[],"encrypted_content":"A","status":"completed"}})";
  EXPECT_TRUE(holds(
      bodies_of({kUser, item, kAssistant, kUser}).responses,
      R"({"type":"reasoning","id":"rs","content":[{"type":"reasoning_text","text":"why"}],"summary":[],"encrypted_content":"A","status":"completed"},{"type":"message")"));
}
TEST(DialectBugs, Bug79ReasoningAndWhatItLedToStayTogether) {
  const std::string_view item =
      R"({"type":"provider_item","provider":"test","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"A"}})";
  EXPECT_EQ(bodies_of({kUser, item, kUser}).responses, bodies_of({kUser, kUser}).responses);
}
TEST(DialectBugs, Bug80ResultsStandDirectlyBehindTheirCalls) {
  const std::string body = bodies_of({kUser, kCallA, kCallB, kResultA, kResultB, kUser}).responses;
  EXPECT_LT(body.find(R"("function_call","call_id":"b")"), body.find(R"("function_call_output","call_id":"a")"));
  EXPECT_LT(body.find(R"("function_call_output","call_id":"b")"), body.rfind("input_text"));
}
TEST(DialectBugs, Bug81ThoughtsGoBackWithTheirCalls) {
  const std::string_view item =
      R"({"type":"provider_item","provider":"test","item":{"type":"assistant_fields","origin":"http://h/v1","fields":{"reasoning_content":"why"}}})";
  EXPECT_TRUE(holds(map_records<ChatRequest>({kUser, item, kCallA, kResultA}).body,
                    R"("reasoning_content":"why","tool_calls")"));
}
TEST(DialectBugs, Bug82HalvesOfSurrogatePairsAreReplacedEverywhere) {
  const std::string_view item =
      R"({"type":"provider_item","provider":"anthropic","item":{"type":"thinking","thinking":"\ud83d","signature":"s"}})";
  const Bodies bodies = bodies_of(
      {R"({"type":"request","instructions":"\ud83d","tools":[{"name":"t","description":"\ude00","parameters":{"type":"object","properties":{"a":{"type":"string","description":"\ud83d"}}}}]})",
       R"({"type":"user","text":"a\ud83d"})", item, R"({"type":"assistant","text":"\ud83d b"})",
       R"({"type":"tool_call","call_id":"\ud83d","name":"\ud83d","arguments":"{\"a\":\"\\ud83d\"}"})",
       R"({"type":"tool_result","call_id":"\ud83d","output":"\ude00"})"});
  EXPECT_TRUE(holds(map_records<MessagesRequest>({kUser, item, kAssistant, kUser}, {}, {"anthropic", ""}).body,
                    "\"thinking\":\"\xEF\xBF\xBD\""));
  for (const std::string& body : {bodies.responses, bodies.messages, bodies.chat}) {
    EXPECT_FALSE(holds(body, "\\ud83d")) << body;
    EXPECT_FALSE(holds(body, "\\ude00")) << body;
  }
}

// ---- What else a server could refuse ----

TEST(RequestShape, ItemsOfAnotherFamilyAreSaidInWords) {
  const std::string_view search =
      R"({"type":"provider_item","provider":"openai","item":{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"weather in Bonn"}}})";
  const std::string_view found =
      R"({"type":"provider_item","provider":"anthropic","item":{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","title":"Bonn","url":"https://b.example","encrypted_content":"AAAA"}]}})";
  const Bodies to_anthropic = bodies_of({kUser, search, kAssistant, kUser}, "anthropic");
  EXPECT_TRUE(holds(to_anthropic.messages, R"([web_search_call]\nquery: weather in Bonn)")) << to_anthropic.messages;
  EXPECT_FALSE(holds(to_anthropic.messages, "ws_1"));
  const Bodies to_openai = bodies_of({kUser, found, kAssistant, kUser}, "openai");
  EXPECT_TRUE(holds(to_openai.responses, R"([web_search_tool_result]\ntitle: Bonn\nurl: https://b.example)"));
  EXPECT_FALSE(holds(to_openai.responses, "AAAA"));
  EXPECT_TRUE(holds(to_openai.chat, "title: Bonn"));
}

TEST(RequestShape, HalvesOfAContinuedAnswerAreJoined) {
  const std::string_view first = R"({"type":"assistant","text":"one two thr","status":"failed","turn_id":"t1"})";
  const std::string_view second = R"({"type":"assistant","text":"ee four","status":"completed","turn_id":"t1"})";
  EXPECT_TRUE(holds(bodies_of({kUser, first, second, kUser}).chat, R"("content":"one two three four")"));
  // Two answers that only happen to follow each other stay apart.
  const std::string_view other = R"({"type":"assistant","text":"five","status":"completed","turn_id":"t2"})";
  EXPECT_TRUE(holds(bodies_of({kUser, second, other, kUser}).chat, R"(ee four\n\nfive)"));
}

TEST(RequestShape, ResultsFollowInTheOrderOfTheirCalls) {
  const std::string body = bodies_of({kUser, kCallA, kCallB, kResultB, kResultA, kUser}).responses;
  EXPECT_LT(body.find(R"("call_id":"a","output":"1\n")"), body.find(R"("call_id":"b","output":"no")"));
}

TEST(RequestShape, ItemsThatLackWhatTheApiWantsAreLeftOut) {
  for (const std::string_view item : {R"({"type":"reasoning","id":"rs","summary":[],"encrypted_content":null})",
                                      R"({"type":"reasoning","encrypted_content":"A"})", R"({"type":"compaction"})",
                                      R"({"type":"function_call","call_id":"c"})", R"({"id":"x"})"}) {
    const std::string record = R"({"type":"provider_item","provider":"test","item":)" + std::string(item) + "}";
    EXPECT_EQ(map_records<ResponsesRequest>({kUser, record, kAssistant, kUser}).body,
              map_records<ResponsesRequest>({kUser, kAssistant, kUser}).body)
        << item;
  }
  for (const std::string_view item : {R"({"type":"thinking","thinking":"t"})", R"({"type":"redacted_thinking"})",
                                      R"({"type":"text","text":""})", "{}"}) {
    const std::string record = R"({"type":"provider_item","provider":"test","item":)" + std::string(item) + "}";
    EXPECT_EQ(map_records<MessagesRequest>({kUser, record, kAssistant, kUser}).body,
              map_records<MessagesRequest>({kUser, kAssistant, kUser}).body)
        << item;
  }
}

TEST(RequestShape, ConversationsThatBeginWithAnAnswer) { bodies_of({kAssistant, kCallA, kResultA, kUser}); }

TEST(RequestShape, ToolsOfEveryShape) {
  const Bodies bodies = bodies_of(
      {R"({"type":"request","instructions":" \n","tools":[{"name":"a b"},{"name":"a b","description":"again"},{"name":"c","parameters":{}},)"
       R"({"name":"d","parameters":{"properties":{"x":{"type":"integer"}}}},{"name":"e","parameters":[]}],"parameters":{"tool_choice":{"type":"function","name":"d"},"max_output_tokens":3}})",
       kUser});
  EXPECT_TRUE(holds(bodies.messages, R"("tool_choice":{"type":"tool","name":"d"})"));
  EXPECT_TRUE(holds(bodies.chat, R"("tool_choice":{"type":"function","function":{"name":"d"}})"));
  EXPECT_TRUE(holds(bodies.responses, R"("tool_choice":{"type":"function","name":"d"})"));
  EXPECT_TRUE(holds(bodies.responses, R"("max_output_tokens":16)"));
}

TEST(RequestShape, AChoiceByWord) {
  for (const std::string word : {"auto", "none", "required", "any"}) {
    const std::string request =
        R"({"type":"request","tools":[{"name":"a"}],"parameters":{"tool_choice":")" + word + "\"}}";
    bodies_of({request, kUser});
  }
}

// The request's options as each of Anthropic's generations takes them.
std::string thinking_of(std::string_view model, std::string_view parameters, Records rest) {
  const std::string request =
      R"({"type":"request","tools":[{"name":"list"}],"parameters":)" + std::string(parameters) + "}";
  std::vector<std::string_view> records{request};
  records.insert(records.end(), rest.begin(), rest.end());
  MessagesRequest mapper({"anthropic", "http://h"});
  context::ConversationReader reader(context::Framing::kServe);
  for (const std::string_view line : records) EXPECT_TRUE(mapper.add(**reader.line(line)).has_value());
  EXPECT_TRUE(mapper.finish({}).has_value());
  const std::string body = mapper.take_body(model).text();
  json::Parser parser;
  const auto root = parser.parse(body);
  for (const std::string& problem : fake::read_request(fake::Api::kMessages, *root).problems)
    ADD_FAILURE() << problem << "\n" << body;
  std::string said;
  for (const std::string_view key : {"thinking", "output_config", "temperature", "tool_choice"})
    if (const json::Node node = root->find(key)) said.append(said.empty() ? "" : " ").append(node.raw());
  return said;
}

TEST(RequestShape, ThinkingAndItsLimits) {
  const std::string_view high = R"({"reasoning":{"effort":"high"},"temperature":0.5,"tool_choice":"required"})";
  EXPECT_EQ(thinking_of("claude-sonnet-4-5", high, {kUser}), R"({"type":"enabled","budget_tokens":24000})");
  EXPECT_EQ(thinking_of("claude-opus-4-6", high, {kUser}), R"({"effort":"high"} 0.5 {"type":"any"})");
  EXPECT_EQ(thinking_of("claude-3-5-haiku-latest", high, {kUser}), R"(0.5 {"type":"any"})");
  EXPECT_EQ(thinking_of("claude-sonnet-4-5", R"({"reasoning":{"effort":"low"},"max_output_tokens":2000})", {kUser}),
            R"({"type":"enabled","budget_tokens":1999})");
  EXPECT_EQ(thinking_of("claude-sonnet-4-5", R"({"reasoning":{"effort":"low"},"max_output_tokens":500})", {kUser}), "");
  // Calls that were made without a thought, by another model perhaps, forbid it until the turn is over.
  EXPECT_EQ(thinking_of("claude-sonnet-4-5", R"({"reasoning":{"effort":"high"}})", {kUser, kCallB, kResultB}), "");
  EXPECT_EQ(
      thinking_of(
          "claude-sonnet-4-5", R"({"reasoning":{"effort":"high"}})",
          {kUser,
           R"({"type":"provider_item","provider":"anthropic","item":{"type":"thinking","thinking":"t","signature":"s"}})",
           kCallB, kResultB}),
      R"({"type":"enabled","budget_tokens":24000})");
}

TEST(RequestShape, ModelsWithAndWithoutReasoning) {
  const std::string_view request =
      R"({"type":"request","parameters":{"reasoning":{"effort":"low","summary":"auto"},"temperature":1}})";
  const MapperOptions openai{"openai", "https://api.openai.com/v1"};
  for (const std::string_view model : {"gpt-5", "o4-mini", "gpt-4.1"}) {
    map_records<ResponsesRequest>({request, kUser}, {}, openai, model);
    map_records<ChatRequest>({request, kUser}, {}, openai, model);
  }
}

TEST(RequestShape, TheChatGptBackendGetsWhatItTakes) {
  const std::string body = map_records<ResponsesRequest>(
                               {R"({"type":"request","parameters":{"max_output_tokens":99,"temperature":1}})", kUser},
                               {}, {"openai-codex", "https://chatgpt.com/backend-api/codex"}, "gpt-5-codex")
                               .body;
  EXPECT_FALSE(holds(body, "max_output_tokens"));
  EXPECT_FALSE(holds(body, "temperature"));
  EXPECT_TRUE(holds(body, R"("instructions":")"));
}

TEST(RequestShape, LongSessionIdsMakeLegalCacheKeys) {
  const std::string request = R"({"type":"request","session_id":")" + std::string(128, 's') + "\"}";
  bodies_of({request, kUser});
}

TEST(RequestShape, MistralWantsAnAnswerBetweenAResultAndTheUser) {
  const std::string body =
      map_records<ChatRequest>({kUser, kCallB, kUser}, {}, {"test", "https://api.mistral.ai/v1"}).body;
  EXPECT_TRUE(holds(body, R"("role":"assistant","content":"I see."},{"role":"user")")) << body;
}

// ---- Prompt caches ----

constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";

std::string without_marks(std::string body) {
  for (std::size_t at; (at = body.find(kMark)) != std::string::npos;) body.erase(at, kMark.size());
  return body;
}

// A conversation of many turns: each request begins with all of the one before it, byte for byte up to the brackets
// that close it.
template <class Mapper>
void expect_growing_prefix() {
  const std::string thinking =
      std::is_same_v<Mapper, ResponsesRequest>
          ? R"({"type":"provider_item","provider":"test","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"A"}})"
      : std::is_same_v<Mapper, MessagesRequest>
          ? R"({"type":"provider_item","provider":"test","item":{"type":"thinking","thinking":"t","signature":"s"}})"
          : R"({"type":"provider_item","provider":"test","item":{"type":"assistant_fields","origin":"http://h/v1","fields":{"reasoning_content":"t"}}})";
  const std::vector<std::vector<std::string>> steps = {
      {R"({"type":"context","kind":"instructions","text":"AGENTS"})", std::string(kUser)},
      {thinking, std::string(kAssistant), std::string(kCallA), std::string(kCallB), std::string(kResultA),
       std::string(kResultB)},
      {std::string(kCallA), std::string(kResultA)},
      {std::string(kAssistant), std::string(kPicture)},
      {R"({"type":"assistant","text":"one tw","status":"failed","turn_id":"t"})",
       R"({"type":"user","text":"Continue"})"},
      {std::string(kCallB), std::string(kUser)}};
  std::vector<std::string> records{std::string(kRequest)};
  std::string before;
  for (const auto& step : steps) {
    records.insert(records.end(), step.begin(), step.end());
    Mapper mapper({"test", "http://h/v1"});
    context::ConversationReader reader(context::Framing::kServe);
    for (const std::string& line : records) ASSERT_TRUE(mapper.add(**reader.line(line)).has_value());
    ASSERT_TRUE(mapper.finish({}).has_value());
    const std::string body = without_marks(mapper.take_body("m-1").text());
    std::string_view shared = before;
    while (!shared.empty() && (shared.back() == '}' || shared.back() == ']')) shared.remove_suffix(1);
    EXPECT_TRUE(body.starts_with(shared)) << before << "\n" << body;
    before = body;
  }
}

TEST(PromptCache, EachRequestBeginsWithTheOneBefore) {
  expect_growing_prefix<ResponsesRequest>();
  expect_growing_prefix<MessagesRequest>();
  expect_growing_prefix<ChatRequest>();
}

TEST(PromptCache, MarksStandWhereTheLastRequestAndThisOneEnd) {
  const std::string body = bodies_of({kRequest, kUser, kCallA, kResultA, kAssistant, kUser}).messages;
  EXPECT_EQ(count(body, kMark), 3u);  // system, the result that the last request ended with, and the new end
  EXPECT_TRUE(holds(body, R"("tool_use_id":"a","content":"1\n","cache_control")"));
  EXPECT_TRUE(body.ends_with(R"({"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]})"));
}

TEST(PromptCache, OpenAiGetsOneKeyAConversation) {
  const MapperOptions openai{"test", "https://api.openai.com/v1"};
  for (const std::string_view more : {kUser, kPicture}) {
    EXPECT_EQ(member_of(map_records<ResponsesRequest>({kRequest, kUser, more}, {}, openai), "prompt_cache_key"),
              "\"s1\"");
    EXPECT_EQ(member_of(map_records<ChatRequest>({kRequest, kUser, more}, {}, openai, "gpt-4.1"), "prompt_cache_key"),
              "\"s1\"");
  }
  EXPECT_EQ(member_of(map_records<ChatRequest>({kRequest, kUser}), "prompt_cache_key"), "");
}

}  // namespace
}  // namespace magi::provider
