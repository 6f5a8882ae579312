#include <gtest/gtest.h>

#include <utility>

#include "libcommon/tokens/counter.h"
#include "libcommon/tokens/record_cost.h"

namespace magi::tokens {
namespace {

TEST(Counter, TheEstimateIsAQuarterOfTheCodePointsRoundedUp) {
  const Counter& counter = counter_for("anthropic", "gpt-5");
  EXPECT_EQ(counter.method(), "characters");
  EXPECT_FALSE(counter.is_exact());
  EXPECT_EQ(counter.count(""), 0u);
  EXPECT_EQ(counter.count("a"), 1u);
  EXPECT_EQ(counter.count("abcde"), 2u);
  EXPECT_EQ(counter.count("\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xAC"), 1u);
  EXPECT_EQ(counter.count_raw("\\ud83d\\ude00\\n\\u00e9x"), 1u);
  EXPECT_EQ(counter.count_raw("\\n\\n\\n\\n\\n"), 2u);
}

TEST(Counter, IsExactForTheFamiliesOfTheTableAlone) {
  for (const auto& [provider, model] : {std::pair("openai", "gpt-5"),
                                        {"openai", "gpt-5.1-codex"},
                                        {"openai", "gpt-4o-mini"},
                                        {"openai-codex", "gpt-5-codex"},
                                        {"openai", "o3"},
                                        {"", "o4-mini-2025-04-16"}})
    EXPECT_EQ(counter_for(provider, model).method(), "o200k_base") << provider << "/" << model;
  for (const auto& [provider, model] : {std::pair("openai", "gpt-4"),
                                        {"openai", "gpt-4-turbo"},
                                        {"openai", "gpt-50"},
                                        {"openai", "o30"},
                                        {"anthropic", "gpt-5"},
                                        {"openai-compatible", "gpt-4o"},
                                        {"", ""}})
    EXPECT_EQ(counter_for(provider, model).method(), "characters") << provider << "/" << model;
  EXPECT_TRUE(default_counter().is_exact());
}

TEST(Counter, TheExactOneCountsEscapedTextAsTheTextItIs) {
  const Counter& counter = default_counter();
  EXPECT_EQ(counter.count("hello world"), 2u);
  EXPECT_EQ(counter.count_raw("hello world"), 2u);
  EXPECT_EQ(counter.count_raw("hello\u0020world"), 2u);
  EXPECT_EQ(counter.count_raw("a\nb"), counter.count("a\nb"));
}

// What a record costs: "kind tokens kind tokens".
std::string cost(std::string_view type, std::string_view record) {
  json::Parser parser;
  const RecordCost cost = cost_of(counter_for("", ""), type, *parser.parse(record));
  std::string text;
  for (const RecordCost::Part& part : cost.parts)
    if (part.tokens) text += std::string(kind_name(part.kind)) + " " + std::to_string(part.tokens) + " ";
  return text;
}

TEST(RecordCost, IsTheTextsAndAConstant) {
  EXPECT_EQ(cost("user", R"({"text":"12345678"})"), "user 6 ");
  EXPECT_EQ(cost("user", R"({"text":"x","parts":[{"type":"image"},{"type":"image"}]})"), "user 5 images 3200 ");
  EXPECT_EQ(cost("tool_call", R"({"call_id":"c","name":"read","arguments":"{\"a\":1}"})"), "tool_call 7 ");
  EXPECT_EQ(cost("tool_result", R"({"call_id":"c","output":""})"), "tool_result 4 ");
  EXPECT_EQ(cost("provider_item", R"({"item":{"a" : [ 1 ]}})"), "provider_item 7 ");
  EXPECT_EQ(cost("context", R"({"kind":"hook","text":"1234"})"), "context 5 ");
  for (const char* type : {"conversation", "end", "reasoning_selection", "something"}) EXPECT_EQ(cost(type, "{}"), "");
}

TEST(RecordCost, TheRequestIsInstructionsAndEachTool) {
  EXPECT_EQ(cost("request", R"({"instructions":"1234","tools":[{"n":1},{"n":2}],"parameters":{"x":"yyyy"}})"),
            "instructions 5 tools 12 ");
  EXPECT_EQ(cost("request", "{}"), "");
}

TEST(Split, TheKindsAddUpToTheTotal) {
  Split split;
  json::Parser parser;
  split.add(cost_of(counter_for("", ""), "request", *parser.parse(R"({"instructions":"1234","tools":[{"n":1}]})")));
  split.add(cost_of(counter_for("", ""), "user", *parser.parse(R"({"text":"1","parts":[{"type":"image"}]})")));
  EXPECT_EQ(split.fixed(), 11u);
  EXPECT_EQ(split.total(), 11u + 5u + 1'600u);
}

}  // namespace
}  // namespace magi::tokens
