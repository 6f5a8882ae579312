#include "tools/magi-tool/replacement.h"

#include <gtest/gtest.h>

#include <random>

namespace magi::toolbox {
namespace {

std::string replaced(std::string_view content, std::vector<Edit> edits, bool all = false) {
  const auto done = replace_texts(content, edits, all);
  return done ? done->content : "error: " + done.error().what;
}

TEST(Replacement, ReplacesTheOneMatch) {
  EXPECT_EQ(replaced("one two three", {{"two", "2"}}), "one 2 three");
  EXPECT_EQ(replaced("abc", {{"b", ""}}), "ac");
  EXPECT_EQ(replaced("aXbYc", {{"Y", "2"}, {"X", "1"}}), "a1b2c");
}

TEST(Replacement, SeveralMatchesAreAmbiguousUnlessAllAreMeant) {
  EXPECT_NE(replaced("a a\na", {{"a", "b"}}).find("3 matches, at lines 1, 1, 2"), std::string::npos);
  EXPECT_EQ(replaced("a a\na", {{"a", "b"}}, true), "b b\nb");
  EXPECT_EQ(replaced("aaaa", {{"aa", "b"}}, true), "bb");
  EXPECT_NE(replaced("aaa", {{"aa", "b"}}).find("2 matches"), std::string::npos) << "overlapping ones count";
}

TEST(Replacement, LooksForEachTextInTheContentAsItWas) { EXPECT_EQ(replaced("a b", {{"a", "b"}, {"b", "c"}}), "b c"); }

TEST(Replacement, RefusesOverlapsEmptyAndEqualTexts) {
  EXPECT_NE(replaced("abc", {{"ab", "1"}, {"bc", "2"}}).find("overlaps"), std::string::npos);
  EXPECT_NE(replaced("abc", {{"", "x"}}).find("empty"), std::string::npos);
  EXPECT_NE(replaced("abc", {{"a", "a"}}).find("same"), std::string::npos);
}

TEST(Replacement, NamesTheLines) {
  const auto done = replace_texts("x\ny\nz\ny2\n", {{"z\n", "1\n2\n"}, {"y2", "3"}}, false);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->lines, (std::vector<std::size_t>{3, 4}));
}

TEST(Replacement, LineFeedsStandForTheFilesOwnLineEnds) {
  EXPECT_EQ(replaced("a\r\nb\r\nc\r\n", {{"a\nb", "1\n2\n3"}}), "1\r\n2\r\n3\r\nc\r\n");
  EXPECT_EQ(replaced("a\r\nb\r\nc\r\n", {{"b", "1\n2"}}), "a\r\n1\r\n2\r\nc\r\n");
  EXPECT_EQ(replaced("a\r\nb\nc\n", {{"a\nb", "1\n2"}}), "1\r\n2\nc\n") << "mixed: where only CRLF fits";
  EXPECT_EQ(replaced("a\nb\r\nc\n", {{"a", "1\n2"}}), "1\n2\nb\r\nc\n") << "mixed: as it is written";
  EXPECT_EQ(replaced("a\r\n", {{"a\r\n", "b\r\n"}}), "b\r\n");
}

Edit by_anchor(std::string anchor, std::string new_text, std::string end_anchor = {}, std::string insert = {}) {
  return {{}, std::move(new_text), std::move(anchor), std::move(end_anchor), std::move(insert)};
}

TEST(Replacement, AnchorsNameLines) {
  const std::string text = "one\ntwo\nthree\n";
  const std::string one = line_anchor(1, "one"), two = line_anchor(2, "two"), three = line_anchor(3, "three");
  EXPECT_EQ(replaced(text, {by_anchor(two, "2")}), "one\n2\nthree\n");
  EXPECT_EQ(replaced(text, {by_anchor(two, "2\n")}), "one\n2\nthree\n") << "a final line end is not one more line";
  EXPECT_EQ(replaced(text, {by_anchor(two + "|two", "2\n2b")}), "one\n2\n2b\nthree\n") << "as read prints it";
  EXPECT_EQ(replaced(text, {by_anchor(two, "")}), "one\nthree\n");
  EXPECT_EQ(replaced(text, {by_anchor(two, "\n")}), "one\n\nthree\n");
  EXPECT_EQ(replaced(text, {by_anchor(one, "12", two)}), "12\nthree\n");
  EXPECT_EQ(replaced(text, {by_anchor(one, "", three)}), "");
  EXPECT_EQ(replaced(text, {by_anchor(two, "x", {}, "before"), by_anchor(two, "y", {}, "after")}),
            "one\nx\ntwo\ny\nthree\n");
  EXPECT_EQ(replaced(text, {by_anchor(one, "1"), {"thr", "THR"}}), "1\ntwo\nTHRee\n") << "beside a text";
}

TEST(Replacement, AnchoredLinesKeepTheirEnds) {
  EXPECT_EQ(replaced("a\r\nb\n", {by_anchor(line_anchor(1, "a\r"), "1\n2")}), "1\r\n2\r\nb\n");
  EXPECT_EQ(replaced("a\nb", {by_anchor(line_anchor(2, "b"), "c\nd")}), "a\nc\nd") << "no final line end stays none";
  EXPECT_EQ(replaced("a\nb", {by_anchor(line_anchor(2, "b"), "c", {}, "after")}), "a\nb\nc");
  EXPECT_EQ(replaced("a\nb", {by_anchor(line_anchor(2, "b"), "")}), "a");
  EXPECT_EQ(replaced("a\r\nb", {by_anchor(line_anchor(2, "b"), "")}), "a");
}

TEST(Replacement, AnAnchorThatDoesNotFitSaysWhereItsLineIs) {
  const std::string stale = line_anchor(2, "two");
  const std::string why = replaced("zero\none\ntwo\n", {by_anchor(stale, "2")});
  EXPECT_NE(why.find("That line is now:\n" + line_anchor(2, "one") + "|one"), std::string::npos) << why;
  EXPECT_NE(why.find("probably now:\n" + line_anchor(3, "two") + "|two"), std::string::npos) << why;
  EXPECT_NE(replaced("a\n", {by_anchor("9:abcd", "x")}).find("not a line"), std::string::npos);
  EXPECT_NE(replaced("a\n", {by_anchor("nine", "x")}).find("form"), std::string::npos);
  EXPECT_NE(replaced("a\nb\n", {by_anchor(line_anchor(2, "b"), "x", line_anchor(1, "a"))}).find("before"),
            std::string::npos);
  EXPECT_NE(replaced("ab\n", {by_anchor(line_anchor(1, "ab"), "x"), {"b", "c"}}).find("overlaps"), std::string::npos);
}

TEST(Replacement, WhatIsOutsideTheMatchIsNeverTouched) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const auto text = [&](std::size_t most) {
      std::string out;
      for (std::size_t size = random() % (most + 1); size > 0; --size) out += "ab\n\r\xe9 "[random() % 6];
      return out;
    };
    const std::string before = text(20), after = text(20), middle = "<" + text(3) + ">";
    const std::string old_text = middle, new_text = "[" + text(5) + "]";
    if (new_text.find('\xe9') != std::string::npos) continue;
    const std::string content = before + middle + after;
    const auto done = replace_texts(content, {{old_text, new_text}}, false);
    if (!done) continue;  // an LF that stands for CRLF may not occur so
    EXPECT_EQ(done->content.substr(0, before.size()), before);
    EXPECT_EQ(done->content.substr(done->content.size() - after.size()), after);
  }
}

}  // namespace
}  // namespace magi::toolbox
