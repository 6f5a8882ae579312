#include "tools/magi-code/front/display.h"

#include <gtest/gtest.h>

namespace magi::code {
namespace {

TEST(Display, NoControlSequenceReachesTheTerminal) {
  const std::string safe = display_safe(
      "a\x1b]52;c;x\x07"
      "b\rc\x9b"
      "2J\xc2\x9b"
      "d\x7f\n\te");
  EXPECT_EQ(safe,
            "a^[]52;c;x^Gb^Mc\xEF\xBF\xBD"
            "2J^[[d^?\n\te");
  for (const char byte : safe) EXPECT_FALSE((byte >= 0 && byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f);
}

TEST(Display, OneLineSaysThatSomethingWasCut) {
  EXPECT_EQ(one_line("short", 10), "short");
  EXPECT_EQ(one_line("first\nsecond", 10), "first...");
  EXPECT_EQ(one_line("\u00e9\u00e9\u00e9\u00e9", 2), "\u00e9\u00e9...");
}

}  // namespace
}  // namespace magi::code
