#include "tools/magi-code/tui/text/visible.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

using namespace std::string_literals;

// What no terminal may be given: control characters of either set, and characters that turn directions.
bool is_safe(const std::string& text) {
  if (!utf8::is_valid(text)) return false;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded d = utf8::decode(text, at);
    const char32_t c = d.code_point;
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || (c >= 0x200E && c <= 0x200F) ||
        (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069)) {
      return false;
    }
    at += d.length;
  }
  return true;
}

TEST(Visible, Sec06EscapesOfEverySortGo) {
  EXPECT_EQ(visible("\033[31mred\033[0m"), "red");
  EXPECT_EQ(visible("\033]0;title\007text"), "text");
  EXPECT_EQ(visible("\033]52;c;cm0gLXJm\033\\text"), "text");
  EXPECT_EQ(visible("\033]8;;http://evil\033\\link\033]8;;\033\\"), "link");
  EXPECT_EQ(visible("\033[2J\033[6n\033[?1049lx"), "x");
  EXPECT_EQ(visible("\033P+q544e\033\\x"), "x");
  EXPECT_EQ(visible("\033_hidden\033\\x\033^also\033\\y\033Xthis\033\\z"), "xyz");
  EXPECT_EQ(visible("\033(0lqk\033(B"), "lqk");
  EXPECT_EQ(visible("\033cx\0337"), "x");
}

TEST(Visible, Sec06WhatHasNoEndHidesNothing) {
  EXPECT_EQ(visible("\033]0;all of this stays"), "0;all of this stays");
  EXPECT_EQ(visible("\033[31"), "");
  EXPECT_EQ(visible("x\033"), "x␛");
  EXPECT_EQ(visible("\033]0;a\nb"), "0;a b");
}

TEST(Visible, Sec06ControlCharactersAreShown) {
  EXPECT_EQ(visible("a\rb"), "a␍b");
  EXPECT_EQ(visible("a\bb\177c\007"), "a␈b␡c␇");
  EXPECT_EQ(visible("a\0b"s), "a␀b");
  EXPECT_EQ(visible("a\x9B"
                    "31mb"),
            "a\uFFFD31mb");
  EXPECT_EQ(visible("a\u009B31mb\u009D0;t\u009C"), "a\uFFFD31mb\uFFFD0;t\uFFFD");
  EXPECT_EQ(visible("a\nb\r\nc"), "a b c");
}

TEST(Visible, Sec06NothingTurnsDirectionsOrHides) {
  EXPECT_EQ(visible("a\u202Eb\u2066c"), "a\uFFFDb\uFFFDc");
  EXPECT_EQ(visible("a\u200Eb\u200Bc\uFEFFd\u00ADe"), "abcde");
  EXPECT_EQ(visible("a\U000E0041b"), "a\uFFFDb");
  EXPECT_EQ(visible("a\u2028b"), "a b");
  EXPECT_EQ(visible("שלום عربي"), "שלום عربي");
}

TEST(Visible, JoinersStayWhereTheyJoin) {
  const std::string family = "👨\u200D👩\u200D👧", heart = "❤\uFE0F";
  EXPECT_EQ(visible(family), family);
  EXPECT_EQ(visible(heart), heart);
  EXPECT_EQ(visible("\u200D\uFE0Fx"), "x");
}

TEST(Visible, MarksHaveABaseAndAnEnd) {
  EXPECT_EQ(visible("\u0301a"), "◌\u0301a");
  std::string many = "a";
  for (int i = 0; i < 1'000; ++i) many += "\u0301";
  EXPECT_LT(visible(many).size(), 32U);
}

TEST(Visible, TabsReachTheNextStop) {
  EXPECT_EQ(visible("a\tb"), "a   b");
  EXPECT_EQ(visible("日\tb"), "日  b");
  EXPECT_EQ(visible("\tb", 2), "  b");
  EXPECT_EQ(visible("abcd\t\tb"), "abcd        b");
}

TEST(Visible, InvalidUtf8IsReplaced) {
  EXPECT_EQ(visible("a\xFF\xC3(b"), "a\uFFFD\uFFFD(b");
  EXPECT_EQ(visible("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
}

TEST(Visible, LinesAreSplitAndProgressBarsShowTheirLastState) {
  EXPECT_EQ(visible_lines("a\r\nb\n\nc"), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(visible_lines(""), std::vector<std::string>{""});
  EXPECT_EQ(visible_lines("10%\r50%\r100%\nok", BareReturn::kStartOver), (std::vector<std::string>{"100%", "ok"}));
  EXPECT_EQ(visible_lines("50%\r", BareReturn::kStartOver), std::vector<std::string>{"50%"});
  EXPECT_EQ(visible_lines("rm -rf /\recho hi"), std::vector<std::string>{"rm -rf /␍echo hi"});
}

TEST(Visible, TextKeepsItsLayout) { EXPECT_EQ(visible_text("a\tb\r\n\033[1mc"), "a\tb\nc"); }

TEST(Visible, WhateverComesInSafeTextComesOut) {
  std::mt19937 random(20261201);
  const std::string pieces[] = {"\033",   "[",  "]",  "P",    "\\",   "\007",  "0;",      "m",
                                "\r",     "\n", "\t", "\x9B", "\xC2", "\x9D",  "\u202E",  "\u200D",
                                "\u0301", "日", "a",  "\xFF", "🇯🇵",   "\033[", "\033]8;;"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n) {
      text +=
          random() % 4 == 0 ? std::string(1, static_cast<char>(random() % 256)) : pieces[random() % std::size(pieces)];
    }
    const std::string shown = visible(text);
    ASSERT_TRUE(is_safe(shown)) << testing::PrintToString(text);
    ASSERT_EQ(visible(shown), shown) << testing::PrintToString(text);
    for (const std::string& line : visible_lines(text, BareReturn::kStartOver)) ASSERT_TRUE(is_safe(line));
  }
}

}  // namespace
}  // namespace magi::code::tui
