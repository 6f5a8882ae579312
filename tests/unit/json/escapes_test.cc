#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <string>

#include "libcommon/json/node.h"

namespace magi::json {
namespace {

enum class Naive { kBad, kNone, kSimple, kUnicode };

// The rules of RFC 8259, one character after the other.
Naive judge(const std::string& raw) {
  Naive kind = Naive::kNone;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '"') return Naive::kBad;
    if (raw[at] != '\\') continue;
    if (++at >= raw.size()) return Naive::kBad;
    if (raw[at] == 'u') {
      for (std::size_t i = 1; i <= 4; ++i)
        if (at + i >= raw.size() || !std::isxdigit(static_cast<unsigned char>(raw[at + i]))) return Naive::kBad;
      at += 4;
      kind = Naive::kUnicode;
    } else if (std::string("\"\\/bfnrt").find(raw[at]) == std::string::npos) {
      return Naive::kBad;
    } else if (kind == Naive::kNone) {
      kind = Naive::kSimple;
    }
  }
  return kind;
}

TEST(Escapes, AreJudgedAsByTheRules) {
  std::uint32_t state = 1;
  const auto below = [&](std::uint32_t bound) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % bound;
  };
  const std::string pieces[] = {"\\\\", "\\n", "\\u00e9", "\\ud83d", "\\\"", "\\/", "a", "0123456789abcdef",
                                "\\",   "\\x", "\\u12",   "u"};
  Parser parser;
  int good = 0;
  for (int round = 0; round < 40'000; ++round) {
    std::string raw(below(70), 'x');
    // Broken pieces are rare, so that most texts are good.
    for (std::uint32_t left = below(40); left > 0; --left) raw += pieces[below(below(12) ? 8 : 12)];
    const Naive wanted = judge(raw);
    const auto node = parser.parse("[\"" + raw + "\",1]");
    ASSERT_EQ(node.has_value(), wanted != Naive::kBad) << raw;
    if (!node) continue;
    ++good;
    const Node text = *(*node).elements().begin();
    ASSERT_EQ(text.raw_string(), raw);
    ASSERT_EQ(text.has_escape(), wanted != Naive::kNone) << raw;
    ASSERT_EQ(text.has_unicode_escape(), wanted == Naive::kUnicode) << raw;
  }
  EXPECT_GT(good, 5'000);
  EXPECT_LT(good, 39'000);
}

TEST(Escapes, AreFoundAtEveryOffset) {
  Parser parser;
  for (std::size_t lead = 0; lead < 200; ++lead) {
    for (const char* tail : {"\\n", "\\u0041", "\\\\\\\\", "\\\\\\n"}) {
      const std::string raw = std::string(lead, '.') + tail;
      EXPECT_TRUE(parser.parse("\"" + raw + "\"")) << raw;
      EXPECT_TRUE(parser.parse("\"" + raw + std::string(100, '.') + "\"")) << raw;
    }
    for (const char* tail : {"\\x", "\\u004", "\\", "\\\\\\", "\\\\\\q"})
      EXPECT_FALSE(parser.parse("\"" + std::string(lead, '.') + tail + "\"")) << lead << tail;
  }
}

TEST(Escapes, KeysMatchDecoded) {
  Parser parser;
  const auto node = parser.parse(R"({"te\u0078t":1,"a\/b":2,"text2":3})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->find("text").as_int(), 1);
  EXPECT_EQ(node->find("a/b").as_int(), 2);
  EXPECT_EQ(node->find("text2").as_int(), 3);
  EXPECT_FALSE(node->find("te\\u0078t"));
}

}  // namespace
}  // namespace magi::json
