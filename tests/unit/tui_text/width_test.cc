#include "tools/magi-code/tui/text/width.h"

#include <gtest/gtest.h>

#include <string>

namespace magi::code::tui {
namespace {

Cluster whole(std::string_view text) {
  const Cluster cluster = cluster_at(text, 0);
  EXPECT_EQ(cluster.bytes, text.size()) << text;
  return cluster;
}

TEST(Width, PlainCharactersAreCertain) {
  EXPECT_EQ(whole("a").columns, 1);
  EXPECT_EQ(whole("é").columns, 1);
  EXPECT_EQ(whole("日").columns, 2);
  EXPECT_EQ(whole("─").columns, 1);
  EXPECT_EQ(whole("e\u0301").columns, 1);
  for (const char* certain : {"a", "é", "日", "─", "e\u0301", "한"})
    EXPECT_FALSE(cluster_at(certain, 0).uncertain) << certain;
}

TEST(Width, ClustersTakeTheColumnsOfOnePicture) {
  const struct {
    const char* text;
    int columns, most;
  } cases[] = {
      {"❤\uFE0F", 2, 2},
      {"1\uFE0F\u20E3", 2, 2},
      {"⚠\uFE0F", 2, 2},
      {"👍🏽", 2, 4},
      {"👨\u200D👩\u200D👧", 2, 6},
      {"🏳\uFE0F\u200D🌈", 2, 4},
      {"🇯🇵", 2, 2},
      {"\u1112\u1161\u11AB", 2, 4},
      {"ก\u0E33", 2, 2},
      {"🫨", 2, 2},
      {"✅", 2, 2},
      {"🎉", 2, 2},
  };
  for (const auto& one : cases) {
    const Cluster cluster = whole(one.text);
    EXPECT_EQ(cluster.columns, one.columns) << one.text;
    EXPECT_GE(cluster.most_columns, cluster.columns) << one.text;
    EXPECT_LE(cluster.most_columns, one.most) << one.text;
    EXPECT_TRUE(cluster.uncertain) << one.text;
  }
}

TEST(Width, TwoFlagsAreTwoClusters) {
  const std::string text = "🇯🇵🇩🇪";
  EXPECT_EQ(cluster_at(text, 0).bytes, 8U);
  EXPECT_EQ(columns_of(text), 4);
  EXPECT_EQ(cluster_before(text, 16), 8U);
  EXPECT_EQ(cluster_before(text, 8), 0U);
}

TEST(Width, GoingBackFindsTheSameClustersAsGoingForward) {
  std::string text = "ab\xFF\xE3\x81 e\u0301\u0302👨\u200D👩\u200D👧🇯🇵🇩🇪🇫한\u1112\u1161\u11ABก\u0E33\n\u0301x";
  for (int i = 0; i < 40; ++i) text += "\u0301";
  text += "漢字\xF0\x9F";
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); at += cluster_at(text, at).bytes) starts.push_back(at);
  std::size_t end = text.size();
  for (std::size_t i = starts.size(); i > 0; --i) {
    EXPECT_EQ(cluster_before(text, end), starts[i - 1]);
    end = starts[i - 1];
  }
}

TEST(Width, EndlessClustersAreCut) {
  std::string zalgo = "a";
  for (int i = 0; i < 10'000; ++i) zalgo += "\u0301";
  EXPECT_LE(cluster_at(zalgo, 0).bytes, 64U);
  EXPECT_EQ(columns_of(zalgo), 1);
}

TEST(Width, CutsAndPadsByColumns) {
  EXPECT_EQ(cut_to_columns("日本語", 5).bytes, 6U);
  EXPECT_EQ(cut_to_columns("日本語", 5).columns, 4);
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("abc", 0), "");
  EXPECT_EQ(shorten_front("src/main.cc", 8), "…main.cc");
  EXPECT_EQ(pad("日", 4), "日  ");
  EXPECT_EQ(pad_left("日", 4), "  日");
  EXPECT_EQ(pad("abcdef", 3), "ab…");
}

}  // namespace
}  // namespace magi::code::tui
