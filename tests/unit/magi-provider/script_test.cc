#include "tools/magi-provider/script_answerer.h"

#include <gtest/gtest.h>

#include "tests/unit/magi-provider/mapping.h"

namespace magi::provider {
namespace {

constexpr std::string_view kScript =
    "{\"type\":\"text\", "
    "\"text\":\"a\"}\n\n{\"type\":\"tool_call\",\"request_id\":\"old\",\"call_id\":\"c\",\"name\":\"n\",\"arguments\":"
    "\"{}\"}\n"
    "{\"type\":\"done\",\"status\":\"completed\",\"stop_reason\":\"tool_use\"}\n{\"type\":\"text\",\"text\":\"b\","
    "\"delay_ms\":1}\n";

std::string play(std::initializer_list<std::string_view> conversation) {
  ScriptAnswerer answerer(*parse_script("s", kScript), "m");
  auto mapper = answerer.new_mapper();
  context::ConversationReader reader(context::Framing::kServe);
  for (const std::string_view line : conversation) EXPECT_TRUE(mapper->add(**reader.line(line)).has_value());
  EXPECT_TRUE(mapper->finish("").has_value());
  std::string records;
  AnswerWriter out(records, "q");
  answerer.begin(std::move(mapper), out);
  while (answerer.busy()) answerer.step();
  return records;
}

TEST(Script, TheAnswerIsThatOfTheTurn) {
  EXPECT_EQ(play({kUser}),
            "{\"type\":\"attempt\",\"request_id\":\"q\",\"number\":1,\"model\":\"m\"}\n{\"type\":\"text\",\"request_"
            "id\":\"q\",\"text\":\"a\"}\n"
            "{\"type\":\"tool_call\",\"request_id\":\"q\",\"call_id\":\"c\",\"name\":\"n\",\"arguments\":\"{}\"}\n"
            "{\"type\":\"done\",\"request_id\":\"q\",\"status\":\"completed\",\"stop_reason\":\"tool_use\"}\n");
  EXPECT_EQ(play({kUser, kAssistant, kCallA, kResultA}),
            "{\"type\":\"attempt\",\"request_id\":\"q\",\"number\":1,\"model\":\"m\"}\n{\"type\":\"text\",\"request_"
            "id\":\"q\",\"text\":\"b\"}\n"
            "{\"type\":\"done\",\"request_id\":\"q\",\"status\":\"completed\",\"stop_reason\":\"end_turn\"}\n");
}

TEST(Script, BehindItsLastAnswerTheScriptSaysSo) {
  EXPECT_EQ(play({kUser, kAssistant, kUser, kAssistant, kUser}),
            "{\"type\":\"error\",\"request_id\":\"q\",\"category\":\"script\",\"message\":\"the script has 2 answers, "
            "and the conversation asks for number 3\",\"retryable\":false,\"partial\":false}\n");
}

TEST(Script, WhatIsNoScript) {
  EXPECT_EQ(parse_script("s", "").error().what, "s: the script holds no answer");
  EXPECT_EQ(parse_script("s", "\n{\"type\":\"user\",\"text\":\"x\"}").error().what,
            "s: line 2: no record of an answer");
  EXPECT_EQ(parse_script("s", "nonsense").error().code, ErrorCode::kConfig);
  EXPECT_EQ(load_script("/no/such/script").error().what,
            "script '/no/such/script': cannot open: No such file or directory");
}

}  // namespace
}  // namespace magi::provider
