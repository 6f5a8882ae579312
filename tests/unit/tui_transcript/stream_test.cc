// A text that arrives in pieces is laid out as if it had come whole.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/tui_transcript/drawn.h"
#include "tools/magi-code/tui/transcript/markdown/splitter.h"

namespace magi::code::tui {
namespace {

constexpr const char* kPieces[] = {
    "# Heading\n",
    "## Another `one`\n\n",
    "Some words that go on for a while, and on. ",
    "**bold** and *italic* ",
    "\n",
    "\n\n",
    "- item\n",
    "  continued\n",
    "  - nested\n",
    "\n  paragraph of the item\n",
    "1. first\n",
    "2. second\n",
    "- [x] done\n",
    "> quoted\n",
    "> > twice\n",
    ">\n",
    "```cpp\nint main() {\n",
    "  return 0;  // done\n",
    "```\n",
    "~~~\n",
    "    indented code\n",
    "| a | b |\n|---|---|\n",
    "| 1 | 22 |\n",
    "---\n",
    "***\n",
    "[link](https://a.example) ",
    "<https://b.example>",
    "日本語 の テキスト ",
    "e\u0301 👍 ",
    "&amp; &#65; ",
    "`code` ",
    "~~gone~~ ",
    "\t",
    "  ",
    "/* open\n",
    "\"unclosed\n",
    "=====\n",
    "text  \nbroken\n",
    "\\*no\\* ",
    "![image](x.png) ",
    "\x1b[31mred\x1b[0m ",
    "```\n\n```\n",
};

std::string random_markdown(std::mt19937& random) {
  std::string text;
  const int pieces = std::uniform_int_distribution<int>(1, 60)(random);
  for (int i = 0; i < pieces; ++i)
    text += kPieces[std::uniform_int_distribution<std::size_t>(0, std::size(kPieces) - 1)(random)];
  return text;
}

std::string streamed(const std::string& text, std::mt19937& random, int columns, bool draw) {
  Transcript transcript;
  transcript.layout(columns, 20);
  for (std::size_t at = 0; at < text.size();) {
    const auto size = std::uniform_int_distribution<std::size_t>(1, 12)(random);
    transcript.text(std::string_view(text).substr(at, size));
    at += size;
    if (draw) (void)rows_of(transcript, columns, 20);
  }
  transcript.turn({"t", "completed"});
  return whole(transcript, columns);
}

std::string at_once(const std::string& text, int columns) {
  Transcript transcript;
  transcript.text(text);
  transcript.turn({"t", "completed"});
  return whole(transcript, columns);
}

TEST(Stream, AnySplitGivesTheSameLines) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_markdown(random);
    for (const int columns : {20, 80, 200})
      ASSERT_EQ(streamed(text, random, columns, columns == 80), at_once(text, columns)) << "seed " << seed << "\n"
                                                                                        << text;
  }
}

TEST(Stream, LongBlocksAreDividedTheSameWay) {
  std::mt19937 random(7);
  std::string code = "```python\n", words, list, line(40'000, 'x');
  for (int i = 0; i < 500; ++i) {
    code += "x = \"\"\"text" + std::to_string(i) + (i % 7 == 0 ? "\"\"\"\n" : "\n");
    words += "words and words " + std::to_string(i) + " ";
    list += "- item " + std::to_string(i) + "\n";
  }
  for (const std::string& text :
       {code, code + "```\nafter\n", words + words + words, list, line, "```\n" + line + "\n```\n"}) {
    const std::string expected = at_once(text, 80);
    Transcript transcript;
    transcript.layout(80, 20);
    for (std::size_t at = 0; at < text.size(); at += 97) transcript.text(std::string_view(text).substr(at, 97));
    transcript.turn({"t", "completed"});
    EXPECT_EQ(whole(transcript, 80), expected) << text.substr(0, 40);
  }
}

TEST(Stream, BlocksThatAreClosedStay) {
  std::string text;
  MarkdownSplitter splitter;
  std::size_t closed = 0;
  for (int i = 0; i < 2000; ++i) {
    text += i % 5 == 4 ? "\n\n" : "word ";
    splitter.feed(text);
    ASSERT_GE(splitter.closed().size(), closed);
    closed = splitter.closed().size();
    ASSERT_LE(splitter.open(text).end - splitter.open(text).begin, 60u);
  }
  EXPECT_GT(closed, 350u);
}

TEST(Stream, ALongListIsDividedBetweenItsItems) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "- item number " + std::to_string(i) + "\n";
  MarkdownSplitter splitter;
  splitter.feed(text);
  EXPECT_GT(splitter.closed().size(), 5u);
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += "  • item number " + std::to_string(i) + "\n";
  EXPECT_EQ(at_once(text, 80), expected);
}

TEST(Stream, AnUnfinishedFenceIsCodeAtOnce) {
  Transcript transcript;
  transcript.text("```sh\necho **no**");
  EXPECT_EQ(drawn(transcript), "    echo **no**\n");
}

}  // namespace
}  // namespace magi::code::tui
