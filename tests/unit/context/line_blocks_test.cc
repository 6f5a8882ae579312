#include "libcommon/context/line_blocks.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tests/unit/context/random_session.h"

namespace magi::context::test {
namespace {

struct Seen {
  std::uint64_t offset;
  std::string text, problem;
  bool torn;
  bool operator==(const Seen&) const = default;
};

// What the lines are, cut by hand.
std::vector<Seen> expected(const std::string& text, std::size_t limit) {
  std::vector<Seen> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t lf = text.find('\n', at);
    const std::string line = text.substr(at, lf - at);
    const bool too_long = line.size() > limit;
    json::Parser parser;
    const auto value = parser.parse(line);
    lines.push_back({at, too_long ? "" : line,
                     too_long ? "too long"
                     : value  ? ""
                              : value.error().what,
                     lf == std::string::npos && !too_long});
    if (lf == std::string::npos) break;
    at = lf + 1;
  }
  return lines;
}

std::vector<Seen> read(const std::string& text, std::size_t limit) {
  const os::Fd fd(::memfd_create("lines", MFD_CLOEXEC));
  EXPECT_TRUE(os::write_all(fd.get(), text));
  ::lseek(fd.get(), 0, SEEK_SET);
  std::vector<Seen> lines;
  LineBlocks blocks(fd.get(), limit);
  while (true) {
    const auto block = blocks.next();
    EXPECT_TRUE(block);
    if (!block || !*block) return lines;
    for (const ParsedLine& line : (*block)->lines) {
      lines.push_back({line.offset, std::string(line.text), line.problem, line.torn});
      if (line.problem.empty()) {
        EXPECT_EQ((*block)->tape.node(line.value).raw(), line.text);
      }
    }
  }
}

std::string random_lines(Random& random, std::size_t bytes, std::size_t longest) {
  std::string text;
  while (text.size() < bytes) {
    const std::size_t size = random.below(4) ? random.below(300) : random.below(longest);
    if (random.below(10) == 0)
      text += std::string(size, '{') + "\n";
    else
      text += "\"" + std::string(size, 'x') + "\"\n";
  }
  if (random.below(2)) text.pop_back();
  if (random.below(4) == 0) text += "\n{\"torn";
  return text;
}

TEST(LineBlocks, GiveEachLineOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const std::string text = random_lines(random, 3'000'000, seed % 2 ? 4'000 : 900'000);
    ASSERT_TRUE(read(text, 1u << 30) == expected(text, 1u << 30)) << "seed " << seed;
  }
}

TEST(LineBlocks, LinesOverTheLimitCostThemselvesAlone) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const std::string text = random_lines(random, 4'000'000, 2'500'000);
    for (const std::size_t limit : {1'000u, 300'000u, 1'000'000u})
      ASSERT_TRUE(read(text, limit) == expected(text, limit)) << "seed " << seed << " limit " << limit;
  }
}

TEST(LineBlocks, EmptyFilesBlankLinesAndFilesOfOneLine) {
  for (const std::string text : {"", "\n", "\n\n1", "1", "1\n", "{\"a\":[1,2]}"})
    EXPECT_TRUE(read(text, 100) == expected(text, 100)) << text;
}

TEST(LineBlocks, MayBeLeftBeforeTheEnd) {
  const os::Fd fd(::memfd_create("lines", MFD_CLOEXEC));
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(os::write_all(fd.get(), std::string(100'000, '1') + "\n"));
  for (int taken = 0; taken < 4; ++taken) {
    ::lseek(fd.get(), 0, SEEK_SET);
    LineBlocks blocks(fd.get());
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(blocks.next());
  }
}

TEST(LineBlocks, AnErrorOfReadingIsFinal) {
  LineBlocks blocks(-1);
  EXPECT_FALSE(blocks.next());
}

}  // namespace
}  // namespace magi::context::test
