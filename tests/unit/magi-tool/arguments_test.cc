#include "tools/magi-tool/arguments.h"

#include <gtest/gtest.h>

#include "libcommon/json/node.h"
#include "tools/magi-tool/call.h"

namespace magi::toolbox {
namespace {

constexpr std::string_view kChoices[] = {"one", "two"};
constexpr Parameter kParameters[] = {
    {"text", Type::kString, true, ""},   {"count", Type::kInteger, false, ""},
    {"flag", Type::kBoolean, false, ""}, {"list", Type::kStrings, false, ""},
    {"edits", Type::kEdits, false, ""},  {"choice", Type::kString, false, "", kChoices},
};

std::string error_of(std::string_view json) {
  const auto parsed = Arguments::parse(json, kParameters);
  return parsed ? "" : parsed.error().what;
}

TEST(Arguments, GivesBackWhatWasSent) {
  const auto parsed = Arguments::parse(
      R"( {"text":"a\nb","count":7,"flag":true,"list":["x","y"],"edits":[{"old_text":"o","new_text":""}],"choice":"two"} )",
      kParameters);
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(*parsed->text("text"), "a\nb");
  EXPECT_EQ(parsed->integer("count"), 7);
  EXPECT_TRUE(parsed->flag("flag"));
  EXPECT_EQ(*parsed->texts("list"), (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(parsed->edits("edits")->size(), 1u);
  EXPECT_EQ(parsed->edits("edits")->front().old_text, "o");
  EXPECT_EQ(parsed->edits("edits")->front().new_text, "");
}

TEST(Arguments, AbsentOnesAreNothing) {
  const auto parsed = Arguments::parse(R"({"text":""})", kParameters);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->integer("count"), std::nullopt);
  EXPECT_FALSE(parsed->flag("flag"));
  EXPECT_EQ(parsed->texts("list"), nullptr);
}

TEST(Arguments, EveryMistakeNamesTheField) {
  EXPECT_NE(error_of(R"({"text":"a","more":1})").find("'more'"), std::string::npos);
  EXPECT_NE(error_of(R"({"text":"a","text":"b"})").find("'text' is given twice"), std::string::npos);
  EXPECT_NE(error_of(R"({"count":1})").find("'text' is missing"), std::string::npos);
  for (const char* bad : {R"({"text":1})", R"({"text":null})", R"({"text":["a"]})"})
    EXPECT_NE(error_of(bad).find("'text'"), std::string::npos);
  for (const char* bad : {"0", "-1", "1.5", "1e99", "\"1\"", "true"})
    EXPECT_NE(error_of(std::string(R"({"text":"a","count":)") + bad + "}").find("'count'"), std::string::npos) << bad;
  for (const char* bad : {"[]", "[1]", "\"x\"", "[\"x\",null]"})
    EXPECT_NE(error_of(std::string(R"({"text":"a","list":)") + bad + "}").find("'list'"), std::string::npos) << bad;
  for (const char* bad : {"[]", "[{}]", R"([{"old_text":"a"}])", R"([{"old_text":"a","new_text":"b","x":"c"}])",
                          R"([{"old_text":"a","old_text":"b","new_text":"c"}])", R"([{"old_text":1,"new_text":"b"}])"})
    EXPECT_NE(error_of(std::string(R"({"text":"a","edits":)") + bad + "}").find("'edits'"), std::string::npos) << bad;
  EXPECT_NE(error_of(R"({"text":"a","choice":"three"})").find("one, two"), std::string::npos);
  EXPECT_NE(error_of("[]").find("object"), std::string::npos);
  EXPECT_NE(error_of("{\"text\":\"a\"").find("JSON"), std::string::npos);
}

TEST(Arguments, AnEmptyTextStandsForNone) {
  EXPECT_TRUE(Arguments::parse("", std::span<const Parameter>()));
  EXPECT_EQ(error_of(" ").find("'text' is missing") == std::string::npos, false);
}

TEST(Registry, EveryDefinitionIsValidAndNamesItsPlainArgument) {
  for (const Tool& tool : all_tools()) {
    EXPECT_EQ(find_tool(tool.name), &tool);
    json::Parser parser;
    const std::string schema = parameters_schema(tool.parameters);
    const auto node = parser.parse(schema);
    ASSERT_TRUE(node) << schema;
    EXPECT_EQ(node->find("additionalProperties").as_bool(), false);
    EXPECT_TRUE(tool.plain_argument.empty() || node->find("properties").find(tool.plain_argument)) << tool.name;
  }
  EXPECT_EQ(find_tool("nonesuch"), nullptr);
}

}  // namespace
}  // namespace magi::toolbox
