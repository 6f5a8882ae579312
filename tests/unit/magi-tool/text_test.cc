#include "tools/magi-tool/text.h"

#include <gtest/gtest.h>

#include "libcommon/base/utf8.h"

namespace magi::toolbox {
namespace {

TEST(Visible, ReplacesWhatBreaksParsers) {
  EXPECT_EQ(visible(std::string("a\0b", 3)),
            "a\xe2\x90\x80"
            "b");
  EXPECT_EQ(visible("caf\xe9"), "caf\xef\xbf\xbd");
  EXPECT_EQ(visible("\x1b[0m\r\n"), "\x1b[0m\r\n");
}

TEST(Shortened, CutsOnlyWhatIsLongerThanTheView) {
  EXPECT_EQ(shortened(std::string(kViewCharacters, 'x')), std::nullopt);
  std::string wide;
  for (std::size_t at = 0; at < kViewCharacters; ++at) wide += "\xf0\x9f\x98\x80";
  EXPECT_EQ(shortened(wide), std::nullopt) << "characters count, not bytes";
  const auto cut = shortened(wide + "x");
  ASSERT_TRUE(cut);
  EXPECT_NE(cut->find("[... 2001 characters omitted ...]"), std::string::npos);
  EXPECT_TRUE(utf8::is_valid(*cut));
  EXPECT_LE(utf8::count(*cut), kViewCharacters);
}

TEST(HeadTail, KeepsBothEndsAndCountsTheRest) {
  HeadTail buffer(10, 10);
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece = std::to_string(i) + ',';
    all += piece;
    buffer.append(piece);
  }
  std::int64_t omitted = 0;
  const std::string text = buffer.text(&omitted);
  EXPECT_EQ(text.substr(0, 10), all.substr(0, 10));
  EXPECT_EQ(text.substr(text.size() - 10), all.substr(all.size() - 10));
  EXPECT_EQ(omitted, static_cast<std::int64_t>(all.size()) - 20);
}

TEST(HeadTail, IsWholeWhileItFits) {
  HeadTail buffer(10, 10);
  buffer.append("0123456789");
  buffer.append("0123456789");
  std::int64_t omitted = -1;
  EXPECT_EQ(buffer.text(&omitted), "01234567890123456789");
  EXPECT_EQ(omitted, 0);
  buffer.append("x");
  buffer.text(&omitted);
  EXPECT_EQ(omitted, 1);
}

TEST(HeadTail, NeverCutsACharacterInHalf) {
  for (std::size_t pad = 0; pad < 4; ++pad) {
    HeadTail buffer(10, 10);
    std::string all(pad, 'x');
    for (int i = 0; i < 30; ++i) all += "\xf0\x9f\x98\x80";
    buffer.append(all);
    std::int64_t omitted = 0;
    const std::string text = buffer.text(&omitted);
    EXPECT_TRUE(utf8::is_valid(text)) << pad;
    const std::string mark = "\n[... " + std::to_string(omitted) + " bytes omitted ...]\n";
    EXPECT_EQ(text.size() - mark.size() + static_cast<std::size_t>(omitted), all.size());
  }
}

TEST(IncompleteEnd, FindsABegunCharacter) {
  EXPECT_EQ(incomplete_end("abc"), 0u);
  EXPECT_EQ(incomplete_end("a\xf0\x9f\x98"), 3u);
  EXPECT_EQ(incomplete_end("a\xc3"), 1u);
  EXPECT_EQ(incomplete_end("a\xc3\xa9"), 0u);
  EXPECT_EQ(incomplete_end("\x80\x80\x80\x80"), 0u);
  EXPECT_EQ(incomplete_end(""), 0u);
}

}  // namespace
}  // namespace magi::toolbox
