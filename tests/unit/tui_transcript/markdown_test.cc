#include <gtest/gtest.h>

#include "tests/unit/tui_transcript/drawn.h"

namespace magi::code::tui {
namespace {

TEST(Markdown, HeadingsParagraphsAndRules) {
  EXPECT_EQ(markdown("# One\ntext *a* **b** `c`\n\n## Two\n---\nmore\n"),
            "One\n\ntext a b c\n\nTwo\n\n────────────────────────────────────────\n\nmore\n");
}

TEST(Markdown, ListsNestAndTasksAreMarked) {
  EXPECT_EQ(markdown("- a\n- b\n  - c\n    continued\n1. x\n2. y\n\n- [ ] todo\n- [x] done\n"),
            "• a\n• b\n  • c continued\n\n1. x\n2. y\n\n☐ todo\n☑ done\n");
}

TEST(Markdown, LooseListsKeepTheirBlankLines) { EXPECT_EQ(markdown("- a\n\n- b\n"), "• a\n\n• b\n"); }

TEST(Markdown, QuotesHaveABar) { EXPECT_EQ(markdown("> a\n> > b\n>\n> c\n"), "│ a\n│\n│ │ b\n│\n│ c\n"); }

TEST(Markdown, LinksSayTheirAddressWhereItDiffers) {
  EXPECT_EQ(markdown("[text](https://a.example/b) <https://c.example> [https://d.example](https://d.example/)\n"),
            "text (https://a.example/b) https://c.example https://d.example\n");
}

TEST(Markdown, CodeIsIndentedAndKept) {
  EXPECT_EQ(markdown("```c\nint x;\n\n  y\n```\nafter\n"), "  int x;\n\n    y\n\nafter\n");
}

TEST(Markdown, TablesFit) {
  const char* const table = "| Name | Value |\n|---|--:|\n| a | 1 |\n| longer name | 22 |\n";
  EXPECT_EQ(markdown(table), "Name        │ Value\n────────────┼──────\na           │     1\nlonger name │    22\n");
  EXPECT_EQ(markdown(table, 15), "Name    │ Value\n────────┼──────\na       │     1\nlonger  │    22\nname    │\n");
}

TEST(Markdown, TablesTooNarrowBecomeLists) {
  EXPECT_EQ(markdown("|aaaa|bbbb|cccc|\n|---|---|---|\n|1111|2222|3333|\n", 12),
            "aaaa: 1111\nbbbb: 2222\ncccc: 3333\n");
}

TEST(Markdown, HostileTextsAreHarmless) {
  const std::string out = markdown(
      "a\x1b[2J\x1b]52;c;AAAA\x07 \xc2\x9b"
      "6n &#27;[31m [x](javascript:\x1b]0;t\x07)\n\n```\n\x1b[0m\x9b"
      "2J\n```\n");
  for (const char c : out) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << out;
  EXPECT_EQ(out.find("\xc2\x9b"), std::string::npos);
}

TEST(Markdown, ManyCellsDoNotExplode) {
  std::string table(3000, '|');
  table += "\n";
  for (int i = 0; i < 3000; ++i) table += "|-";
  table += "|\n";
  for (int i = 0; i < 3000; ++i) table += "|\n";
  EXPECT_FALSE(markdown(table).empty());
}

}  // namespace
}  // namespace magi::code::tui
