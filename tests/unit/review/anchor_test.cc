#include "tools/magi-code/review/anchor.h"

#include <gtest/gtest.h>

#include <random>

namespace magi::code::review {
namespace {

std::vector<std::string_view> split(std::string_view text) { return split_lines(text); }

constexpr std::string_view kFile = "int a() {\n  return 1;\n}\n\nint b() {\n  return 1;\n}\n";

TEST(Anchor, KeepsTheLineAndItsNeighbours) {
  const Anchor anchor = anchor_of(split(kFile), 1);
  EXPECT_EQ(anchor.line, 2);
  EXPECT_EQ(anchor.quoted, "  return 1;");
  EXPECT_EQ(anchor.before, std::vector<std::string>{"int a() {"});
  EXPECT_EQ(anchor.after, (std::vector<std::string>{"}", "", "int b() {"}));
}

TEST(Anchor, IsFoundWhereNothingChanged) {
  for (std::size_t at = 0; at < split(kFile).size(); ++at)
    EXPECT_EQ(find_anchor(split(kFile), anchor_of(split(kFile), at)), static_cast<std::int64_t>(at + 1));
}

TEST(Anchor, FollowsItsLineAndNotItsNumber) {
  const Anchor in_b = anchor_of(split(kFile), 5);
  const std::string moved = "// one\n// two\n// three\n// four\n" + std::string(kFile);
  EXPECT_EQ(find_anchor(split(moved), in_b), 10);
  // The neighbours decide between equal lines, although the other one stands nearer.
  const std::string swapped = "int b() {\n  return 1;\n}\n\nint a() {\n  return 1;\n}\n";
  EXPECT_EQ(find_anchor(split(swapped), in_b), 2);
}

TEST(Anchor, IsLostWithItsLine) {
  EXPECT_EQ(find_anchor(split("int a() {\n}\n"), anchor_of(split(kFile), 1)), std::nullopt);
  EXPECT_EQ(find_anchor({}, anchor_of(split(kFile), 1)), std::nullopt);
}

TEST(Anchor, OfABraceNeedsItsNeighbours) {
  const Anchor brace = anchor_of(split(kFile), 2);
  EXPECT_EQ(find_anchor(split("x\ny\nz\nw\n}\nv\n"), brace), std::nullopt);
  EXPECT_EQ(find_anchor(split("x\n  return 1;\n}\n"), brace), 3);
}

TEST(Anchor, OfARemovedLineIsTheGap) {
  Anchor removed;
  removed.side = kOldSide;
  removed.line = 3;
  removed.quoted = "  log();";
  removed.before = {"int a() {", "  return 1;"};
  removed.after = {"}", ""};
  EXPECT_EQ(find_anchor(split(kFile), removed), 3);
  EXPECT_EQ(find_anchor(split("// new\n" + std::string(kFile)), removed), 4);
  EXPECT_EQ(find_anchor(split("nothing\nof\nit\n"), removed), std::nullopt);
}

TEST(Anchor, SurvivesLongLinesCarriageReturnsBrokenUtf8AndSecrets) {
  const std::string long_line(5000, 'x');
  const std::string secret = "key = \"sk-ant-api03-" + std::string(95, 'A') + "\"";
  const std::string text = "one\r\n" + long_line + "\nb\xff\xfe\n" + secret + "\n";
  for (std::size_t at = 0; at < 4; ++at) {
    const Anchor anchor = anchor_of(split(text), at);
    EXPECT_LE(anchor.quoted.size(), kQuotedBytes);
    EXPECT_EQ(anchor.quoted.find("sk-ant"), std::string::npos);
    EXPECT_EQ(find_anchor(split("first\n" + text), anchor), static_cast<std::int64_t>(at + 2)) << anchor.quoted;
  }
}

// Whatever is inserted before or behind a line with text of its own, it is found again.
TEST(Anchor, SurvivesRandomEditsElsewhere) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words;
    for (int i = 0; i < 30; ++i) words.push_back(random() % 3 == 0 ? "}" : "word" + std::to_string(random() % 12));
    const std::size_t at = random() % words.size();
    words[at] = "the only one";
    std::vector<std::string_view> lines(words.begin(), words.end());
    const Anchor anchor = anchor_of(lines, at);
    std::vector<std::string> changed = words;
    for (int edit = 0; edit < 5; ++edit) changed.insert(changed.begin() + random() % (changed.size() + 1), "new");
    const auto found = find_anchor({changed.begin(), changed.end()}, anchor);
    ASSERT_TRUE(found);
    EXPECT_EQ(changed[static_cast<std::size_t>(*found - 1)], "the only one");
  }
}

}  // namespace
}  // namespace magi::code::review
