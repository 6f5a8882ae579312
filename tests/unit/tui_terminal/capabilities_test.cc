#include "tools/magi-code/tui/terminal/capabilities.h"

#include <gtest/gtest.h>

#include "tools/magi-code/tui/terminal/guard.h"
#include "tools/magi-code/tui/terminal/tty.h"

namespace magi::code::tui {
namespace {

Capabilities of(std::string term, std::string colorterm = {}, std::string program = {}, std::string tmux = {}) {
  return known_capabilities({std::move(term), std::move(colorterm), std::move(program), std::move(tmux), false});
}

TEST(Capabilities, ColoursByNameAndEnvironment) {
  EXPECT_EQ(of("xterm-256color").colours, ColourDepth::k256);
  EXPECT_EQ(of("xterm-256color", "truecolor").colours, ColourDepth::kTrue);
  EXPECT_EQ(of("xterm-kitty").colours, ColourDepth::kTrue);
  EXPECT_EQ(of("xterm").colours, ColourDepth::k16);
  EXPECT_EQ(of("linux").colours, ColourDepth::k16);
  EXPECT_EQ(of("screen", {}, {}, "/tmp/tmux").colours, ColourDepth::k256);
  EXPECT_EQ(of("vt100").colours, ColourDepth::kNone);
  EXPECT_EQ(of("dumb").colours, ColourDepth::kNone);
  TerminalEnvironment without{"xterm-kitty", "truecolor", {}, {}, true};
  EXPECT_EQ(known_capabilities(without).colours, ColourDepth::kNone) << "TUI-12: NO_COLOR";
}

TEST(Capabilities, TerminalsThatCanLess) {
  EXPECT_FALSE(of("dumb").cursor_addressing);
  EXPECT_FALSE(of("").cursor_addressing);
  const Capabilities console = of("linux");
  EXPECT_TRUE(console.cursor_addressing);
  EXPECT_FALSE(console.alternate_screen || console.scroll_by_su || console.unicode || console.modify_other_keys);
  EXPECT_EQ(probe_query(console), "\033[c");
  EXPECT_FALSE(of("screen").modify_other_keys);
  EXPECT_TRUE(of("tmux-256color").modify_other_keys);
}

TEST(Capabilities, AProbeEndsWithTheQuestionThatAllAnswer) {
  EXPECT_TRUE(probe_query(of("xterm")).ends_with("\033[c"));
  EXPECT_EQ(probe_query(of("dumb")), "");
}

TEST(Capabilities, AnswersAreLearned) {
  Capabilities c = of("xterm");
  EXPECT_TRUE(learn(c, {Reply::Kind::kMode, 2026, 2, {}}));
  EXPECT_TRUE(c.synchronized_output);
  EXPECT_FALSE(learn(c, {Reply::Kind::kMode, 2026, 2, {}}));
  EXPECT_TRUE(learn(c, {Reply::Kind::kKittyFlags, 0, 0, {}}));
  EXPECT_TRUE(learn(c, {Reply::Kind::kBackground, 11, 0, "rgb:ffff/ffff/f0f0"}));
  EXPECT_EQ(c.light_background, true);
  EXPECT_TRUE(learn(c, {Reply::Kind::kBackground, 11, 0, "rgb:1e/1e/1e"}));
  EXPECT_EQ(c.light_background, false);
  EXPECT_FALSE(learn(c, {Reply::Kind::kBackground, 11, 0, "rgb:x"}));
  EXPECT_FALSE(learn(c, {Reply::Kind::kDeviceAttributes, 62, 0, {}}));
  Capabilities unknown = of("xterm");
  EXPECT_FALSE(learn(unknown, {Reply::Kind::kMode, 2026, 0, {}}));
  EXPECT_FALSE(unknown.synchronized_output);
}

TEST(Capabilities, WhatIsEnteredIsLeft) {
  Capabilities c = of("xterm-kitty", "truecolor");
  c.kitty_keys = c.synchronized_output = true;
  const std::string enter = enter_sequence(c, true), leave = leave_sequence(c);
  for (const char* mode : {"?1049", "?2004", "?1004", "?1002", "?1006"}) {
    EXPECT_NE(enter.find(std::string("\033[") + mode + "h"), std::string::npos) << mode;
    EXPECT_NE(leave.find(std::string("\033[") + mode + "l"), std::string::npos) << mode;
  }
  EXPECT_NE(leave.find("\033[?7h"), std::string::npos);
  EXPECT_TRUE(leave.ends_with("\033[?25h"));
  EXPECT_LE(enter.size(), guard::kMostSequenceBytes);
  EXPECT_LE(leave.size(), guard::kMostSequenceBytes);
}

TEST(Clipboard, IsBoundedAndWrappedForScreen) {
  EXPECT_EQ(clipboard_sequence("hi", {"xterm", {}, {}, {}, false}), "\033]52;c;aGk=\007");
  EXPECT_EQ(clipboard_sequence("hi", {"screen", {}, {}, {}, false}), "\033P\033]52;c;aGk=\007\033\\");
  EXPECT_EQ(clipboard_sequence(std::string(200'000, 'x'), {"xterm", {}, {}, {}, false}), "");
}

}  // namespace
}  // namespace magi::code::tui
