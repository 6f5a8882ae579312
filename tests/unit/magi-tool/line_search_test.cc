#include "tools/magi-tool/line_search.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "libcommon/os/fd.h"
#include "tests/unit/scratch.h"

namespace magi::toolbox {
namespace {

using Lines = std::vector<std::pair<std::int64_t, std::string>>;

Lines search(std::string_view pattern, const std::string& text, LineSearch::Found want = LineSearch::Found::kText) {
  const test::Scratch scratch;
  test::spill(scratch / "f", text);
  const os::Fd fd(::open((scratch / "f").c_str(), O_RDONLY | O_CLOEXEC));
  auto compiled = LineSearch::compile(pattern);
  EXPECT_TRUE(compiled);
  Lines lines;
  EXPECT_EQ(compiled->search(fd.get(),
                             [&](std::int64_t line, std::string_view found) {
                               lines.emplace_back(line, found);
                               return true;
                             }),
            want);
  return lines;
}

TEST(LineSearch, FindsEachLineOnce) {
  EXPECT_EQ(search("a", "a\nb\naaa\n\na"), (Lines{{1, "a"}, {3, "aaa"}, {5, "a"}}));
  EXPECT_EQ(search("^$", "a\n\nb\n"), (Lines{{2, ""}}));
  EXPECT_EQ(search("^", "a\nb\n"), (Lines{{1, "a"}, {2, "b"}}));
  EXPECT_EQ(search("b$", "ab\nba\n"), (Lines{{1, "ab"}}));
  EXPECT_EQ(search("(?i)É", "\xc3\xa9\n"), (Lines{{1, "\xc3\xa9"}}));
  EXPECT_EQ(search("x", ""), Lines{});
}

TEST(LineSearch, NeverMatchesAcrossLines) {
  EXPECT_EQ(search("a\\sb", "a\nb\n"), Lines{});
  EXPECT_EQ(search("a[^x]b", "a\nb\na.b\n"), (Lines{{3, "a.b"}}));
}

TEST(LineSearch, WorksOverBlocks) {
  std::string text;
  Lines want;
  for (int line = 1; line <= 100'000; ++line) {
    const bool hit = line % 9973 == 0;
    const std::string content =
        hit ? "needle " + std::to_string(line) : std::string(static_cast<std::size_t>(line % 60), 'x');
    if (hit) want.emplace_back(line, content);
    text += content + '\n';
  }
  EXPECT_EQ(search("needle", text), want);
  EXPECT_EQ(search("needle", std::string(3'000'000, 'x') + "needle\nneedle\n").size(), 2u)
      << "a line longer than a block";
}

TEST(LineSearch, LeavesBinariesAlone) {
  EXPECT_EQ(search("a", std::string("a\n\0a\n", 5), LineSearch::Found::kBinary), Lines{});
}

TEST(LineSearch, SaysWhatIsWrongWithAPattern) {
  const auto bad = LineSearch::compile("a(b");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("missing )"), std::string::npos) << bad.error().what;
}

}  // namespace
}  // namespace magi::toolbox
