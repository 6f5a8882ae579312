#include "tools/magi-code/tui/text/wrap.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const std::vector<Line>& lines) {
  Texts all;
  for (const Line& line : lines) all.push_back(plain_text(line));
  return all;
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(texts(wrap(Line("the quick brown fox"), 10)), (Texts{"the quick", "brown fox"}));
  EXPECT_EQ(texts(wrap(Line("the quick"), 9)), Texts{"the quick"});
  EXPECT_EQ(texts(wrap(Line(""), 9)), Texts{""});
  EXPECT_EQ(texts(wrap(Line("a    b"), 3)), (Texts{"a", "b"}));
  EXPECT_EQ(texts(wrap(Line("well-known"), 6)), (Texts{"well-", "known"}));
}

TEST(Wrap, BreaksInsideOfWordsThatAreTooLong) {
  EXPECT_EQ(texts(wrap(Line("abcdefghij"), 4)), (Texts{"abcd", "efgh", "ij"}));
  EXPECT_EQ(texts(wrap(Line("a bcdefghij k"), 4)), (Texts{"a", "bcde", "fghi", "j k"}));
}

TEST(Wrap, BreaksBetweenWideCharactersButNotBeforeTheirPunctuation) {
  EXPECT_EQ(texts(wrap(Line("日本語日本語"), 5)), (Texts{"日本", "語日", "本語"}));
  EXPECT_EQ(texts(wrap(Line("日本。語"), 4)), (Texts{"日", "本。", "語"}));
  EXPECT_EQ(texts(wrap(Line("日本"), 1)), (Texts{" ", " "}));
}

TEST(Wrap, KeepsStylesAcrossBreaks) {
  Line line;
  line.add("one ", {Role::kCode}).add("two three", {Role::kError});
  const std::vector<Line> lines = wrap(line, 8);
  ASSERT_EQ(lines.size(), 2U);
  ASSERT_EQ(lines[0].spans.size(), 2U);
  EXPECT_EQ(lines[0].spans[1].text, "two");
  EXPECT_EQ(lines[0].spans[1].style.role, Role::kError);
  EXPECT_EQ(plain_text(lines[1]), "three");
}

TEST(Wrap, IndentsAndLeavesIndentsOutWhereNoRoomIs) {
  const Indent bullet{Line("- "), Line("  ")};
  EXPECT_EQ(texts(wrap(Line("the quick brown fox"), 12, bullet)), (Texts{"- the quick", "  brown fox"}));
  EXPECT_EQ(texts(wrap(Line("the fox"), 8, bullet)), (Texts{"the fox"}));
}

TEST(Wrap, ExactlyKeepsEveryBlank) {
  EXPECT_EQ(texts(wrap_exact(Line("if (a)   b"), 4)), (Texts{"if (", "a)  ", " b"}));
  EXPECT_EQ(texts(wrap_exact(Line("日本語"), 3)), (Texts{"日", "本", "語"}));
}

TEST(Wrap, ShortensLines) {
  Line line;
  line.add("one ", {Role::kCode}).add("two", {Role::kError});
  EXPECT_EQ(plain_text(shorten(line, 7)), "one two");
  EXPECT_EQ(plain_text(shorten(line, 6)), "one t…");
  EXPECT_EQ(shorten(line, 6).spans.back().style.role, Role::kError);
}

TEST(Wrap, NoRowIsTooWideAndNoTextIsLost) {
  std::mt19937 random(7);
  const std::string pieces[] = {"a", "bc", " ", "  ", "日", "本", "-", "👍🏽", "é", "。", "longword"};
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (unsigned n = random() % 40; n > 0; --n) text += pieces[random() % std::size(pieces)];
    const int columns = 2 + static_cast<int>(random() % 20);
    std::string all;
    for (const Line& line : wrap_exact(Line(text), columns)) {
      ASSERT_LE(columns_of(line), columns) << text;
      all += plain_text(line);
    }
    ASSERT_EQ(all, text);
    std::string words;
    for (const Line& line : wrap(Line(text), columns)) {
      ASSERT_LE(columns_of(line), columns) << "'" << text << "' at " << columns;
      words += plain_text(line);
    }
    std::erase(words, ' ');
    std::erase(text, ' ');
    ASSERT_EQ(words, text);
  }
}

}  // namespace
}  // namespace magi::code::tui
