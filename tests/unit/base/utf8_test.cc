#include "libcommon/base/utf8.h"

#include <gtest/gtest.h>

#include <random>

namespace magi::utf8 {
namespace {

// Straight from Unicode 15, table 3-7, written without regard to speed.
std::size_t reference_length(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < s.size() ? static_cast<unsigned char>(s[at + i]) : 0u; };
  const auto in = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
  const auto tail = [&](std::size_t i) { return in(i, 0x80, 0xBF); };
  if (in(0, 0x00, 0x7F)) return 1;
  if (in(0, 0xC2, 0xDF) && tail(1)) return 2;
  if (((byte(0) == 0xE0 && in(1, 0xA0, 0xBF)) || (in(0, 0xE1, 0xEC) && tail(1)) ||
       (byte(0) == 0xED && in(1, 0x80, 0x9F)) || (in(0, 0xEE, 0xEF) && tail(1))) &&
      tail(2))
    return 3;
  if (((byte(0) == 0xF0 && in(1, 0x90, 0xBF)) || (in(0, 0xF1, 0xF3) && tail(1)) ||
       (byte(0) == 0xF4 && in(1, 0x80, 0x8F))) &&
      tail(2) && tail(3))
    return 4;
  return 0;
}

TEST(Utf8, EveryCodePointSurvives) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append(text, c);
    const Decoded d = decode(text, 0);
    ASSERT_TRUE(d.valid && d.code_point == c && d.length == text.size()) << static_cast<unsigned>(c);
    ASSERT_EQ(reference_length(text, 0), text.size());
  }
}

TEST(Utf8, SurrogatesAndBeyondBecomeTheReplacement) {
  for (const char32_t c : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}}) {
    std::string text;
    append(text, c);
    EXPECT_EQ(text, "\xEF\xBF\xBD");
  }
}

TEST(Utf8, ValidityAgreesWithTheTableOnRandomBytes) {
  std::mt19937 random(1);
  const unsigned char kLikely[] = {0x41, 0x80, 0xBF, 0xC1, 0xC2, 0xE0, 0xED, 0xEF,
                                   0xF0, 0xF4, 0xF5, 0x90, 0x8F, 0xA0, 0x9F};
  for (int round = 0; round < 50'000; ++round) {
    std::string text(random() % 20, 'a');
    for (char& c : text)
      if (random() % 2) c = static_cast<char>(kLikely[random() % sizeof kLikely]);
    std::size_t good = 0;
    while (good < text.size()) {
      const std::size_t length = reference_length(text, good);
      if (length == 0) break;
      good += length;
    }
    ASSERT_EQ(valid_prefix(text), good);
    const std::string clean = sanitize(text);
    ASSERT_TRUE(is_valid(clean));
    if (good == text.size()) {
      ASSERT_EQ(clean, text);
    }
  }
}

TEST(Utf8, EachMaximalInvalidPartIsReplacedOnce) {
  std::uint64_t replaced = 0;
  // Cut three-byte sequence, stray continuation, overlong, surrogate, beyond U+10FFFF.
  EXPECT_EQ(sanitize("a\xE2\x82"
                     "b\x80"
                     "c\xC0\xAF"
                     "d\xED\xA0\x80"
                     "e\xF4\x90\x80\x80"
                     "f",
                     &replaced),
            "a\uFFFD"
            "b\uFFFD"
            "c\uFFFD\uFFFD"
            "d\uFFFD\uFFFD\uFFFD"
            "e\uFFFD\uFFFD\uFFFD\uFFFD"
            "f");
  EXPECT_EQ(replaced, 12u);
}

TEST(Utf8, CutsNeverSplitACharacter) {
  const std::string text = "a\u00e9\u20ac\U0001F389z";
  EXPECT_EQ(count(text), 5u);
  EXPECT_EQ(prefix_bytes(text, 3), 6u);
  EXPECT_EQ(prefix_bytes(text, 99), text.size());
  EXPECT_EQ(suffix_offset(text, 2), 6u);
  EXPECT_EQ(suffix_offset(text, 99), 0u);
  for (std::size_t max = 0; max <= text.size() + 2; ++max) {
    const std::size_t at = floor_boundary(text, max);
    EXPECT_LE(at, max);
    EXPECT_TRUE(is_valid(std::string_view(text).substr(0, at))) << max;
  }
  EXPECT_EQ(floor_boundary(text, 5), 3u);
}

}  // namespace
}  // namespace magi::utf8
