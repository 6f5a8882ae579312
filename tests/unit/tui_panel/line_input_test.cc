#include "tools/magi-code/tui/panel/line_input.h"

#include "tests/unit/tui_panel/panel_support.h"
#include "tools/magi-code/tui/panel/parts.h"

namespace magi::code::tui {
namespace {

using namespace test;

TEST(LineInput, EditsByClusters) {
  LineInput input;
  input.key(text_key("a\xcc\x88"));  // one cluster of two code points
  input.key(text_key("\xe6\x97\xa5"));
  input.key(text_key("b"));
  input.key(code(KeyCode::kLeft));
  input.key(code(KeyCode::kBackspace));
  EXPECT_EQ(input.text(),
            "a\xcc\x88"
            "b");
  input.key(code(KeyCode::kHome));
  input.key(code(KeyCode::kDelete));
  EXPECT_EQ(input.text(), "b");
  EXPECT_FALSE(input.key(code(KeyCode::kEnter)));
  EXPECT_FALSE(input.key(ctrl('q')));
}

TEST(LineInput, DropsWordsAndLines) {
  LineInput input("one two three");
  input.key(ctrl('w'));
  EXPECT_EQ(input.text(), "one two ");
  input.key(ctrl('a'));
  input.key(ctrl('k'));
  EXPECT_TRUE(input.empty());
  input.paste("two\nlines\x1b[2J");
  EXPECT_EQ(input.text(), "two lines");
}

TEST(LineInput, KeepsTheCursorInView) {
  LineInput input(std::string(200, 'x') + "end");
  Surface surface(1, 20);
  input.draw(surface, {0, 0, 1, 20}, "> ");
  EXPECT_GE(surface.cursor_column(), 2);
  EXPECT_LT(surface.cursor_column(), 20);
  std::string row;
  for (int column = 0; column < 20; ++column) row += surface.at(0, column).cluster;
  EXPECT_NE(row.find("end"), std::string::npos);
}

TEST(Parts, SayAgesCountsAndSizes) {
  const std::int64_t now = 1'790'000'000'000;
  EXPECT_EQ(ago(now - 5'000, now), "now");
  EXPECT_EQ(ago(now - 300'000, now), "5 min");
  EXPECT_EQ(ago(now - 7'200'000, now), "2 h");
  EXPECT_EQ(ago(now - 3LL * 86'400'000, now), "3 d");
  EXPECT_EQ(ago(now - 100LL * 86'400'000, now), "2026-06-13");
  EXPECT_EQ(ago(0, now), "");
  EXPECT_EQ(duration_text(340), "340 ms");
  EXPECT_EQ(duration_text(2'500), "2.5 s");
  EXPECT_EQ(duration_text(200'000), "3 min 20 s");
  EXPECT_EQ(short_count(812), "812");
  EXPECT_EQ(short_count(12'345), "12.3k");
  EXPECT_EQ(short_count(1'000'000), "1M");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(size_text(2048), "2 KiB");
  EXPECT_EQ(size_text(3'000'000), "2.8 MiB");
}

}  // namespace
}  // namespace magi::code::tui
