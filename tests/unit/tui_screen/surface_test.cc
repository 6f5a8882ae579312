#include "tools/magi-code/tui/screen/surface.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

std::string row_text(const Surface& surface, int row) {
  std::string text;
  for (int column = 0; column < surface.columns(); ++column) text += surface.at(row, column).cluster;
  return text;
}

constexpr Rect kAll{0, 0, 100, 100};

TEST(Surface, PutsTextAndSaysWhereItEnds) {
  Surface surface(2, 8);
  EXPECT_EQ(surface.put(kAll, 0, 1, "a日b", {Role::kCode}), 5);
  EXPECT_EQ(row_text(surface, 0), " a日b   ");
  EXPECT_EQ(surface.at(0, 2).cluster, "日");
  EXPECT_EQ(surface.at(0, 3).cluster, "");
  EXPECT_EQ(surface.at(0, 3).style.role, Role::kCode);
  EXPECT_EQ(surface.put(kAll, 5, 0, "outside"), 0);
}

TEST(Surface, ClipsAtBothEdgesWithoutHalves) {
  Surface surface(1, 8);
  surface.put({0, 1, 1, 4}, 0, 0, "日本語");
  EXPECT_EQ(row_text(surface, 0), "  本    ") << "the half outside is blank, and what does not fit";
  surface.put({0, 0, 1, 2}, 0, -3, "abcd");
  EXPECT_EQ(surface.at(0, 0).cluster, "d");
}

TEST(Surface, OverwritingHalfOfAWideClusterFreesTheOther) {
  Surface surface(1, 6);
  surface.put(kAll, 0, 0, "日本語");
  surface.put(kAll, 0, 1, "x");
  EXPECT_EQ(row_text(surface, 0), " x本語");
  surface.put(kAll, 0, 4, "y");
  EXPECT_EQ(row_text(surface, 0), " x本y ");
  surface.fill({0, 2, 1, 1});
  EXPECT_EQ(row_text(surface, 0), " x  y ");
}

TEST(Surface, MarksJoinWhatStandsBefore) {
  Surface surface(1, 4);
  Line line;
  line.add("e").add("\u0301x");
  EXPECT_EQ(surface.put(kAll, 0, 0, line), 2);
  EXPECT_EQ(surface.at(0, 0).cluster, "e\u0301");
  surface.put(kAll, 0, 0, "\u0301");
  EXPECT_EQ(surface.at(0, 0).cluster, "e\u0301") << "nothing stands before the first column";
}

TEST(Surface, FramesHaveATitleThatFits) {
  Surface surface(3, 12);
  const Rect inside = surface.frame({0, 0, 3, 12}, Line("a long title"));
  EXPECT_EQ(inside, (Rect{1, 1, 1, 10}));
  EXPECT_EQ(row_text(surface, 0), "╭─ a lon… ─╮");
  EXPECT_EQ(row_text(surface, 1), "│          │");
  EXPECT_EQ(row_text(surface, 2), "╰──────────╯");
  EXPECT_EQ(surface.frame({0, 0, 1, 1}).rows, 0);
}

TEST(Surface, RestylesBothHalves) {
  Surface surface(1, 6);
  surface.put(kAll, 0, 0, "日本語");
  surface.restyle({0, 1, 1, 2}, {Role::kMatch});
  for (int column = 0; column < 4; ++column) EXPECT_EQ(surface.at(0, column).style.role, Role::kMatch) << column;
  EXPECT_EQ(surface.at(0, 4).style.role, Role::kText);
}

TEST(Surface, NoSequenceOfDrawingLeavesHalves) {
  std::mt19937 random(11);
  const std::string pieces[] = {"日", "a", "👍🏽", "\u0301", "é", "  ", "本語"};
  for (int i = 0; i < 3'000; ++i) {
    Surface surface(3, 1 + static_cast<int>(random() % 12));
    for (int step = 0; step < 20; ++step) {
      const auto some = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)) - 2; };
      const Rect clip{some(5), some(8), some(8), some(14)};
      if (random() % 4 == 0) {
        surface.fill(clip, {Role::kCode});
      } else {
        surface.put(clip, some(6), some(14),
                    pieces[random() % std::size(pieces)] + pieces[random() % std::size(pieces)]);
      }
    }
    for (int row = 0; row < surface.rows(); ++row) {
      for (int column = 0; column < surface.columns(); ++column) {
        const std::string& cluster = surface.at(row, column).cluster;
        const int columns = cluster.empty() ? 0 : columns_of(cluster);
        const bool has_half = column + 1 < surface.columns() && surface.at(row, column + 1).cluster.empty();
        ASSERT_EQ(columns == 2, has_half);
        ASSERT_FALSE(column == 0 && cluster.empty());
      }
    }
  }
}

}  // namespace
}  // namespace magi::code::tui
