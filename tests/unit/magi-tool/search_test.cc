#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tools/magi-tool/byte_search.h"
#include "tools/magi-tool/findings.h"

namespace magi::toolbox {
namespace {

std::string literal(std::string_view pattern, bool ignore_case = false) {
  const auto found = required_literal(pattern, ignore_case);
  if (!found) return "none";
  return found->text + (found->whole ? " whole" : "") + (found->any_case ? " any case" : "");
}

TEST(RequiredLiteral, IsTheLongestRunOfPlainCharacters) {
  EXPECT_EQ(literal("needle"), "needle whole");
  EXPECT_EQ(literal("a\\.b"), "a.b whole");
  EXPECT_EQ(literal("foo\\w+barbaz"), "barbaz");
  EXPECT_EQ(literal("^static\\s+int$"), "static");
  EXPECT_EQ(literal("ab*c"), "a");
  EXPECT_EQ(literal("abcd?"), "abc");
  EXPECT_EQ(literal("ab+cd"), "ab");
  EXPECT_EQ(literal("xé*"), "x");
  EXPECT_EQ(literal("ab{2,3}cde"), "cde");
  EXPECT_EQ(literal("(foo|bar)quux[a-z]"), "quux");
  EXPECT_EQ(literal("[[:alpha:]]x]y"), "x]y");
  EXPECT_EQ(literal("foo|bar"), "none");
  EXPECT_EQ(literal("\\x41bcd"), "none");
  EXPECT_EQ(literal("a(?i)b"), "none");
  EXPECT_EQ(literal(".*"), "none");
  EXPECT_EQ(literal("(?i)NeEdle"), "needle any case");
  EXPECT_EQ(literal("Class", true), "cla any case") << "S has a relative outside ASCII";
}

TEST(LiteralFinder, FindsWhatASimpleSearchFinds) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string text, want;
    for (std::size_t left = random() % 60; left > 0; --left) text += "abAB\n"[random() % 5];
    for (std::size_t left = 1 + random() % 3; left > 0; --left) want += "ab"[random() % 2];
    const LiteralFinder finder(Literal{want});
    const std::size_t from = text.empty() ? 0 : random() % text.size();
    EXPECT_EQ(finder.find(text, from), text.find(want, from)) << text << '/' << want;
    std::string lower = text;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(LiteralFinder(Literal{want, true}).find(text, from), lower.find(want, from));
    EXPECT_EQ(count_lines(text), static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  }
}

TEST(CountLines, CountsMoreThanALaneHolds) {
  EXPECT_EQ(count_lines(std::string(100'003, '\n')), 100'003u);
  EXPECT_EQ(count_lines(std::string(100'003, '\r')), 0u);
}

TEST(Findings, AreTheFirstByPathWhateverTheOrderTheyCameIn) {
  std::mt19937 random(5);
  std::vector<std::string> paths;
  for (int at = 0; at < 500; ++at) paths.push_back("d" + std::to_string(at / 20) + "/f" + std::to_string(at));
  paths.emplace_back("d1-x");
  std::string want;
  for (int round = 0; round < 20; ++round) {
    std::shuffle(paths.begin(), paths.end(), random);
    Findings findings(300);
    for (const std::string& path : paths) findings.add(path, path + ":1\n" + path + ":2\n", 2);
    std::int64_t shown = 0;
    const std::string text = findings.text(shown);
    if (want.empty()) want = text;
    EXPECT_EQ(text, want);
    EXPECT_LE(text.size(), 300u);
    EXPECT_EQ(shown, std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(findings.lines(), 1002);
    EXPECT_EQ(findings.paths(), 501);
  }
  EXPECT_TRUE(PathOrder()("a/b", "a-b")) << "what a folder holds stands beside it";
  EXPECT_TRUE(PathOrder()("a", "a/b"));
  EXPECT_FALSE(PathOrder()("a", "a"));
}

}  // namespace
}  // namespace magi::toolbox
