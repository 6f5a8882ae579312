#include "libcommon/os/io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "libcommon/os/fd.h"
#include "tests/unit/scratch.h"

namespace magi::os {
namespace {

struct Seen {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> offsets;
  std::vector<bool> torn;
  int skipped = 0;
  bool operator==(const Seen&) const = default;
};

Seen read_lines(const std::string& path, std::size_t max_line_bytes) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  LineReader reader(fd.get(), max_line_bytes);
  Seen seen;
  while (true) {
    const auto line = reader.next();
    if (!line) {
      EXPECT_EQ(line.error().code, ErrorCode::kLimit);
      ++seen.skipped;
      continue;
    }
    if (!*line) return seen;
    seen.lines.emplace_back(**line);
    seen.offsets.push_back(reader.offset());
    seen.torn.push_back(reader.last_was_torn());
  }
}

TEST(LineReader, OnlyLineFeedEndsALine) {
  const test::Scratch scratch;
  static constexpr char kText[] = "a\u2028b\u2029c\u0085d\x0b\x0c\r\n\n\0x\n\xEF\xBB\xBFlast";
  const std::string text(kText, sizeof kText - 1);
  test::spill(scratch / "f", text);
  const Seen seen = read_lines(scratch / "f", 1000);
  EXPECT_EQ(seen.lines, (std::vector<std::string>{"a\u2028b\u2029c\u0085d\x0b\x0c\r", "", std::string("\0x", 2),
                                                  "\xEF\xBB\xBFlast"}));
  EXPECT_EQ(seen.torn, (std::vector<bool>{false, false, false, true}));
  for (std::size_t i = 0; i < seen.lines.size(); ++i)
    EXPECT_EQ(text.substr(seen.offsets[i], seen.lines[i].size()), seen.lines[i]);
}

TEST(LineReader, EmptyInputHasNoLine) {
  const test::Scratch scratch;
  test::spill(scratch / "f", "");
  EXPECT_EQ(read_lines(scratch / "f", 10), Seen{});
}

TEST(LineReader, ALineOverTheLimitCostsThatLineAlone) {
  const test::Scratch scratch;
  for (const std::size_t size : {std::size_t{11}, std::size_t{300'000}, std::size_t{700'000}}) {
    test::spill(scratch / "f", "one\n" + std::string(size, 'x') + "\ntwo\n" + std::string(size, 'y') + "\n" +
                                   std::string(10, 'z') + "\n");
    const Seen seen = read_lines(scratch / "f", 10);
    EXPECT_EQ(seen.lines, (std::vector<std::string>{"one", "two", std::string(10, 'z')})) << size;
    EXPECT_EQ(seen.skipped, 2) << size;
    EXPECT_EQ(seen.offsets, (std::vector<std::uint64_t>{0, 5 + size, 10 + 2 * size})) << size;
    test::spill(scratch / "f", "one\n" + std::string(size, 'x'));
    const Seen cut = read_lines(scratch / "f", 10);
    EXPECT_EQ(cut.lines, (std::vector<std::string>{"one"})) << size;
    EXPECT_EQ(cut.skipped, 1) << size;
  }
}

TEST(LineReader, LongLinesAreWholeWithinTheLimit) {
  const test::Scratch scratch;
  const std::string longest(5'000'000, 'x');
  test::spill(scratch / "f", "a\n" + longest + "\nb\n");
  const Seen seen = read_lines(scratch / "f", longest.size());
  EXPECT_EQ(seen.lines, (std::vector<std::string>{"a", longest, "b"}));
}

TEST(LineReader, PaddingIsReadableBehindEveryLine) {
  const test::Scratch scratch;
  std::string text;
  for (int i = 0; i < 9'000; ++i) text += std::string(static_cast<std::size_t>(i % 97), 'p') + '\n';
  text += "torn";
  test::spill(scratch / "f", text);
  const Fd fd(::open((scratch / "f").c_str(), O_RDONLY | O_CLOEXEC));
  LineReader reader(fd.get(), 1000);
  std::size_t sum = 0;
  while (true) {
    const auto line = reader.next();
    ASSERT_TRUE(line);
    if (!*line) break;
    const volatile char* const behind = (*line)->data() + (*line)->size();
    for (std::size_t i = 0; i < kLinePadding; ++i) sum += behind[i] != 0;
  }
  EXPECT_GT(sum, 0u);
}

TEST(LineSplitter, AgreesWithAWholeSplitHoweverTheBytesCome) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (unsigned i = random() % 40; i > 0; --i)
      text += std::string(random() % 30, 'a' + static_cast<char>(i % 26)) + (random() % 8 ? "\n" : "");
    std::vector<std::string> expected;
    for (const std::string& line : test::lines_of(text))
      if (line.size() <= 25) expected.push_back(line);
    LineSplitter splitter(25);
    std::vector<std::string> lines;
    const auto drain = [&] {
      while (true) {
        const auto line = splitter.next();
        if (!line) continue;
        if (!*line) return;
        ASSERT_EQ(text.substr(splitter.offset(), (*line)->size()), **line);
        lines.emplace_back(**line);
      }
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 17, text.size() - at);
      splitter.push(std::string_view(text).substr(at, size));
      at += size;
      drain();
    }
    if (const auto rest = splitter.rest()) lines.emplace_back(*rest);
    ASSERT_EQ(lines, expected);
    EXPECT_EQ(splitter.pending(), 0u);
  }
}

TEST(WriteAll, WaitsForASlowReaderOnANonBlockingPipe) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_TRUE(set_nonblocking(pipe->write.get(), true));
  const std::string text(1'000'000, 'w');
  std::string got;
  std::thread reader([&] { got = *read_all(pipe->read.get(), 2'000'000); });
  EXPECT_TRUE(write_all(pipe->write.get(), text));
  pipe->write.reset();
  reader.join();
  EXPECT_EQ(got, text);
}

TEST(ReadAll, IsBounded) {
  const test::Scratch scratch;
  test::spill(scratch / "f", std::string(10'000, 'x'));
  const Fd fd(::open((scratch / "f").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_all(fd.get(), 9'999).error().code, ErrorCode::kLimit);
  ::lseek(fd.get(), 0, SEEK_SET);
  EXPECT_EQ(read_all(fd.get(), 10'000)->size(), 10'000u);
}

TEST(Fd, ClosesOnceAndKeepsErrno) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const int number = pipe->read.get();
  Fd moved = std::move(pipe->read);
  EXPECT_FALSE(pipe->read);
  errno = 77;
  moved.reset();
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  EXPECT_EQ(::fcntl(pipe->write.get(), F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace magi::os
