#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <random>

#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::json {
namespace {

bool accepts(std::string_view text) {
  Parser parser;
  return parser.parse(text).has_value();
}

std::string why(std::string_view text) {
  Parser parser;
  const auto parsed = parser.parse(text);
  return parsed ? "accepted" : parsed.error().what;
}

std::string string_of(std::string_view text) {
  Parser parser;
  const auto parsed = parser.parse(text);
  return parsed ? parsed->as_string().value_or("not a string") : parsed.error().what;
}

TEST(Parser, WalksObjectsInSourceOrderAndTheLastDuplicateWins) {
  Parser parser;
  const auto root = parser.parse(R"( {"a":1,"b":[true,null,"x"],"a":{"c":2},"\u0062":3} )");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("a").find("c").as_int(), 2);
  EXPECT_EQ(root->find("b").as_int(), 3) << "an escaped key is the same key";
  EXPECT_FALSE(root->find("c"));
  std::vector<std::string> keys;
  for (const Node::Member member : root->members()) keys.push_back(member.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "a", "b"}));
}

TEST(Parser, KeepsTheExactSourceTextOfEveryValue) {
  Parser parser;
  const auto root = parser.parse("{\"n\": 1.50e+2 , \"s\": \"a\\u00e9\\/\" ,\"o\": { \"x\" : [ ] } }");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("n").raw(), "1.50e+2");
  EXPECT_EQ(root->find("s").raw(), R"("a\u00e9\/")");
  EXPECT_EQ(root->find("o").raw(), "{ \"x\" : [ ] }");
  EXPECT_EQ(root->find("n").as_double(), 150.0);
  EXPECT_FALSE(root->find("n").as_int());
}

TEST(Parser, LoneSurrogatesAreReadAsTheReplacement) {
  EXPECT_EQ(string_of(R"("\ud83c\udf89")"), "\U0001F389");
  EXPECT_EQ(string_of(R"("a\ud800b")"), "a\uFFFDb");
  EXPECT_EQ(string_of(R"("\udc00\ud800")"), "\uFFFD\uFFFD");
  EXPECT_EQ(string_of(R"("\ud800\ud83c\udf89")"), "\uFFFD\U0001F389");
  EXPECT_EQ(string_of(R"("\ud800\n")"), "\uFFFD\n");
  EXPECT_EQ(string_of(R"("\ud800\u0041")"),
            "\uFFFD"
            "A");
  EXPECT_TRUE(has_lone_surrogate(R"(x\ud800)"));
  EXPECT_TRUE(has_lone_surrogate(R"(\udf89)"));
  EXPECT_FALSE(has_lone_surrogate(R"(\ud83c\udf89\\ud800)"));
  std::string out;
  append_without_lone_surrogates(out, R"(\n\ud800\ud83c\udf89)");
  EXPECT_EQ(out, "\\n\uFFFD\\ud83c\\udf89");
}

TEST(Parser, EscapesAreDecodedAndInvalidOnesRefused) {
  EXPECT_EQ(string_of(R"("\"\\\/\b\f\n\r\t\u0000\u001f")"), std::string("\"\\/\b\f\n\r\t\0\x1f", 10));
  for (const char* text :
       {R"("\x")", R"("\u12")", R"("\u12g4")", R"("\")", R"("\\\")", R"("\u")", R"("\uD83C\u")", R"("\'")"})
    EXPECT_FALSE(accepts(text)) << text;
  // Around the 64-byte blocks in which escapes are checked.
  for (std::size_t pad = 50; pad < 80; ++pad) {
    const std::string fill(pad, 'x');
    EXPECT_EQ(string_of('"' + fill + "\\n\\\\\\u0041" + '"'), fill + "\n\\A");
    EXPECT_FALSE(accepts('"' + fill + "\\u00\"")) << pad;
    EXPECT_FALSE(accepts('"' + fill + "\\q\"")) << pad;
    EXPECT_EQ(string_of('"' + fill + std::string(64, '\\') + "n\""), fill + std::string(32, '\\') + "n");
  }
}

TEST(Parser, LineSeparatorsAndOtherOddCharactersAreText) {
  const std::string odd = "a\u2028b\u2029c\u0085d\uFEFFe\x7f";
  EXPECT_EQ(string_of('"' + odd + '"'), odd);
}

TEST(Parser, RefusesControlCharactersInvalidUtf8AndOddTokens) {
  EXPECT_EQ(why("\"a\nb\""), "not valid JSON: a control character in a string");
  EXPECT_EQ(why(std::string_view("\"a\0b\"", 5)), "not valid JSON: a control character in a string");
  EXPECT_EQ(why("\"a\xff\""), "not valid JSON: not UTF-8");
  EXPECT_EQ(why("\"a\xed\xa0\x80\""), "not valid JSON: not UTF-8");
  for (const std::string& text : {std::string(""),
                                  std::string(" "),
                                  std::string("\xEF\xBB\xBF{}"),
                                  std::string("{}{}"),
                                  std::string("{} x"),
                                  std::string("[1,]"),
                                  std::string("[,1]"),
                                  std::string("{\"a\":1,}"),
                                  std::string("{\"a\"}"),
                                  std::string("{a:1}"),
                                  std::string("{'a':1}"),
                                  std::string("[1 2]"),
                                  std::string("tru"),
                                  std::string("True"),
                                  std::string("nulll"),
                                  std::string("01"),
                                  std::string("1."),
                                  std::string(".5"),
                                  std::string("+1"),
                                  std::string("1e"),
                                  std::string("-"),
                                  std::string("NaN"),
                                  std::string("Infinity"),
                                  std::string("\"a\"b"),
                                  std::string("1\"a\""),
                                  std::string("[\"a\"\"b\"]"),
                                  std::string("//c\n1"),
                                  std::string("\v1"),
                                  std::string(512, '\0')})
    EXPECT_FALSE(accepts(text)) << text;
}

TEST(Parser, DepthIsBounded) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_TRUE(accepts(nested(kMaxDepth)));
  EXPECT_EQ(why(nested(kMaxDepth + 2)), "not valid JSON: nested too deeply");
  EXPECT_EQ(why(std::string(1'000'000, '[')), "not valid JSON: nested too deeply");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(accepts(objects));
}

TEST(Parser, EveryTruncationIsRefused) {
  const std::string whole =
      R"({"event_type":"user_input","payload":{"text":"a\n\ud83c\udf89é","n":[1,-2.5e3,true,null]},"x":""})";
  ASSERT_TRUE(accepts(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(accepts(std::string_view(whole).substr(0, size))) << size;
}

TEST(Parser, LargeValuesAreReadWhole) {
  const std::string text(20'000'000, 'x');
  Parser parser;
  const auto root = parser.parse("{\"a\":\"" + text + "\",\"b\":[" + std::string("0") + "]}");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("a").as_string()->size(), text.size());
  EXPECT_EQ(root->find("b").raw(), "[0]");
}

TEST(Parser, NumbersThatDoNotFitAreNotMangled) {
  Parser parser;
  const auto root = parser.parse("[9223372036854775807,9223372036854775808,-9223372036854775808,1e999,0.1,-0]");
  ASSERT_TRUE(root);
  std::vector<std::optional<std::int64_t>> ints;
  for (const Node element : root->elements()) ints.push_back(element.as_int());
  EXPECT_EQ(ints[0], INT64_MAX);
  EXPECT_FALSE(ints[1]);
  EXPECT_EQ(ints[2], INT64_MIN);
  EXPECT_FALSE(ints[3]);
  EXPECT_FALSE(ints[4]);
  EXPECT_EQ(ints[5], 0);
}

TEST(Parser, IsReusableAfterAFailure) {
  Parser parser;
  EXPECT_FALSE(parser.parse("{\"a\":"));
  const auto root = parser.parse("[1]");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->raw(), "[1]");
}

// A second implementation decides what is valid: texts are grown by random edits of good ones.
TEST(Parser, AgreesWithAnotherParserOnDamagedTexts) {
  const std::string seeds[] = {
      R"({"event_type":"tool_result","event_id":"1a","payload":{"output":"a\tb\\n\u0041é\ud83c\udf89","n":-12.5e-3,"l":[true,false,null,[],{}]}})",
      R"([{"a":[{"b":[0,1,2]}]},"\"\\\/",1e5,"",{"":{}}])",
  };
  const char kBytes[] = "{}[]\",:\\u0d8n1e+-. \t\n\x01\x80\xc3\xe2tfx";
  std::mt19937 random(7);
  int accepted = 0;
  Parser parser;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = seeds[random() % 2];
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % (sizeof kBytes - 1)];
      switch (random() % 4) {
        case 0: text[at] = byte; break;
        case 1: text.insert(at, 1, byte); break;
        case 2: text.erase(at, 1 + random() % 3); break;
        default: text.insert(at, text.substr(at, random() % 8)); break;
      }
      if (text.empty()) text = "x";
    }
    const auto ours = parser.parse(text);
    // Boost refuses half surrogate pairs, which we read.
    std::string compared = text;
    if (ours) {
      compared.clear();
      append_compact(compared, ours->raw());
    }
    boost::json::parse_options options;
    options.max_depth = kMaxDepth;
    boost::json::error_code failed;
    boost::json::parse(compared, failed, {}, options);
    if (failed != boost::json::error::exponent_overflow) {
      ASSERT_EQ(ours.has_value(), !failed) << text << "\n"
                                           << (ours ? "" : ours.error().what) << " / " << failed.message();
    }
    accepted += ours.has_value();
  }
  EXPECT_GT(accepted, 5'000) << "the edits must not all be fatal";
}

}  // namespace
}  // namespace magi::json
