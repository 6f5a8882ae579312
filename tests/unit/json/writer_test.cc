#include "libcommon/json/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"
#include "libcommon/json/value.h"

namespace magi::json {
namespace {

std::string quoted_json(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

TEST(Writer, SeparatesMembersAndElements) {
  std::string out;
  Writer writer(out);
  writer.begin_object()
      .key("a")
      .integer(-1)
      .key("b")
      .begin_array()
      .string("x")
      .null()
      .boolean(true)
      .begin_object()
      .end_object();
  writer.begin_array().end_array().raw("{\"r\":1}").end_array().key("c").number(0.1).end_object();
  EXPECT_EQ(out, R"({"a":-1,"b":["x",null,true,{},[],{"r":1}],"c":0.1})");
}

TEST(Writer, NumbersThatJsonLacksAreNull) {
  std::string out;
  Writer(out)
      .begin_array()
      .number(std::nan(""))
      .number(std::numeric_limits<double>::infinity())
      .number(1e300)
      .end_array();
  EXPECT_EQ(out, "[null,null,1e+300]");
}

TEST(Writer, EscapesOnlyWhatMustBeEscaped) {
  EXPECT_EQ(quoted_json(std::string_view("\"\\\n\r\t\b\f\0\x1f\x7f/", 11)),
            "\"\\\"\\\\\\n\\r\\t\\b\\f\\u0000\\u001f\x7f/\"");
  EXPECT_EQ(quoted_json("é\u2028\U0001F389"), "\"é\u2028\U0001F389\"");
  EXPECT_EQ(quoted_json("a\xff"
                        "b\xe2\x82"),
            "\"a\uFFFD"
            "b\uFFFD\"");
}

TEST(Writer, WhatItWritesReadsBackAsTheCleanText) {
  std::mt19937 random(3);
  Parser parser;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 ? random() % 128 : random() % 256);
    const std::string line = quoted_json(text);
    ASSERT_EQ(line.find('\n'), std::string::npos);
    const auto node = parser.parse(line);
    ASSERT_TRUE(node) << node.error().what;
    ASSERT_EQ(node->as_string(), utf8::sanitize(text));
    ASSERT_EQ(count_characters(node->raw_string()), utf8::count(utf8::sanitize(text)));
  }
}

TEST(Value, RefusesDuplicatesAndSaysWhere) {
  EXPECT_FALSE(parse_value("{\"a\":1,\"a\":2}"));
  const auto bad = parse_value("{\n  \"a\": 1,\n  \"b\" 2\n}");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("line 3"), std::string::npos) << bad.error().what;
  EXPECT_FALSE(parse_value("{\"a\":1} // c"));
  EXPECT_FALSE(parse_value("{\"a\":1,}"));
}

TEST(Value, PrintsAndReadsTheSameTree) {
  const auto value = parse_value(R"({"z":1,"a":[1.5,"x\n",null,true,{}],"s":"é"})");
  ASSERT_TRUE(value);
  EXPECT_EQ(print(*value), R"({"z":1,"a":[1.5,"x\n",null,true,{}],"s":"é"})");
  const auto again = parse_value(print_indented(*value));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *value);
  EXPECT_EQ(print_indented(*value).back(), '\n');
}

TEST(Value, TreesFromNodesLetTheLastDuplicateWin) {
  Parser parser;
  const auto root = parser.parse(R"({"a":1,"b":"\ud800","a":[2]})");
  ASSERT_TRUE(root);
  EXPECT_EQ(print(to_value(*root)), "{\"a\":[2],\"b\":\"\uFFFD\"}");
}

}  // namespace
}  // namespace magi::json
