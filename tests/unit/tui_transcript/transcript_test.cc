#include <gtest/gtest.h>

#include "tests/unit/tui_transcript/drawn.h"

namespace magi::code::tui {
namespace {

TEST(Transcript, APromptAndItsAnswer) {
  Transcript transcript;
  transcript.prompt("hello\nthere");
  transcript.text("Some **bold** ");
  transcript.text("text.\n\n- a\n- b\n");
  transcript.turn({"t", "completed"});
  EXPECT_EQ(drawn(transcript), "  ❯ hello\n    there\n\n  Some bold text.\n\n  • a\n  • b\n");
}

}  // namespace
}  // namespace magi::code::tui
