#include <gtest/gtest.h>

#include <random>

#include "tests/unit/tui_transcript/drawn.h"
#include "tools/magi-code/tui/transcript/diff_view.h"

namespace magi::code::tui {
namespace {

std::string text_of(const DiffText& diff) {
  std::string out;
  for (const DiffRow& row : diff.rows) out += plain_text(draw_diff_row(row, number_columns(diff))) + "\n";
  return out;
}

std::string changed_of(const DiffRow& row) {
  std::string out;
  for (const auto& [begin, end] : row.changed) out += "<" + row.text.substr(begin, end - begin) + ">";
  return out;
}

TEST(Diff, UnifiedTextIsNumbered) {
  const DiffText diff =
      parse_unified("--- a/x\n+++ b/x\n@@ -9,3 +9,4 @@ f()\n a\n-b\n+c\n+d\n e\n\\ No newline at end of file\n");
  EXPECT_EQ(text_of(diff),
            "--- a/x\n+++ b/x\n@@ -9,3 +9,4 @@ f()\n 9  9   a\n10    - b\n   10 + c\n   11 + d\n11 12   e\n\\ No "
            "newline at end of file\n");
  EXPECT_EQ(diff.added, 2);
  EXPECT_EQ(diff.removed, 1);
}

TEST(Diff, LinesOfAHunkThatLookLikeHeadersAreLines) {
  const DiffText diff = parse_unified("@@ -1,2 +1,2 @@\n--- x\n+++ y\n a\n");
  ASSERT_EQ(diff.rows.size(), 4u);
  EXPECT_EQ(diff.rows[1].kind, DiffRow::Kind::kRemoved);
  EXPECT_EQ(diff.rows[2].kind, DiffRow::Kind::kAdded);
}

TEST(Diff, WhatIsNoDiffIsKept) {
  EXPECT_EQ(text_of(parse_unified("hello\n@@ -a +b @@\nworld")), "hello\n@@ -a +b @@\nworld\n");
}

TEST(Diff, TextsAreCompared) {
  EXPECT_EQ(text_of(diff_texts("a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nb\nc\nd\nE\nf\ng\nh\ni\n", 10, 1)),
            "13 13   d\n14    - e\n   14 + E\n15 15   f\n");
  EXPECT_EQ(text_of(diff_texts("", "x\ny", 1)), "  1 + x\n  2 + y\n");
  EXPECT_EQ(text_of(diff_texts("x\n", "", 0)), "- x\n");
}

TEST(Diff, ChangedWordsAreMarked) {
  const DiffText diff = diff_texts("int alpha = f(1, 2);\n", "int alpha = g(1, 3);\n", 0);
  ASSERT_EQ(diff.rows.size(), 2u);
  EXPECT_EQ(changed_of(diff.rows[0]), "<f><2>");
  EXPECT_EQ(changed_of(diff.rows[1]), "<g><3>");
}

TEST(Diff, LinesThatShareLittleAreWhole) {
  const DiffText diff = diff_texts("completely different words here\n", "nothing alike in that other line\n", 0);
  EXPECT_EQ(changed_of(diff.rows[0]), "");
}

// Rows without the added ones are the old text, without the removed ones the new text.
TEST(Diff, NothingIsLostOrMadeUp) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    std::string texts[2];
    for (std::string& text : texts)
      for (int i = std::uniform_int_distribution<int>(0, 30)(random); i > 0; --i)
        text += std::string(1, static_cast<char>('a' + std::uniform_int_distribution<int>(0, 4)(random))) + "\n";
    std::string back[2];
    for (const DiffRow& row : diff_texts(texts[0], texts[1], 1, 1000).rows) {
      if (row.kind != DiffRow::Kind::kAdded) back[0] += row.text + "\n";
      if (row.kind != DiffRow::Kind::kRemoved) back[1] += row.text + "\n";
    }
    ASSERT_EQ(back[0], texts[0]) << "seed " << seed;
    ASSERT_EQ(back[1], texts[1]) << "seed " << seed;
  }
}

TEST(Diff, HostileLinesAreHarmless) {
  const DiffText diff = parse_unified(
      "@@ -1 +1 @@\n-a\x1b[2Jb\n+a\x1b]52;c;x\x07"
      "c\n");
  for (const char c : text_of(diff)) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

}  // namespace
}  // namespace magi::code::tui
