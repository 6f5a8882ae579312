// What a terminal can do: at first from its name and the environment, then corrected by what it answers to a probe.
// Pure: the environment is given, bytes are sent by tty.h, answers come out of the decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-code/tui/theme/theme.h"

namespace magi::code::tui {

// The variables that matter, as main read them; empty: not set.
struct TerminalEnvironment {
  std::string term, colorterm, term_program, tmux;
  bool no_color = false;  // NO_COLOR is set and not empty
};

struct Capabilities {
  ColourDepth colours = ColourDepth::k256;
  bool cursor_addressing = true;     // false (TERM=dumb, unknown): no interface is possible
  bool alternate_screen = true;      // ?1049
  bool scroll_by_su = true;          // CSI S and T; else lines are inserted and deleted
  bool bracketed_paste = true;       // ?2004: asking for it harms nowhere
  bool focus_events = true;          // ?1004
  bool mouse = true;                 // ?1002 with ?1006
  bool synchronized_output = false;  // ?2026, where it was answered
  bool kitty_keys = false;           // CSI > 1 u, where it was answered
  bool modify_other_keys = true;     // CSI > 4 ; 1 m
  bool italic = true, strike = true;
  bool unicode = true;  // false: box drawing and the like as ASCII (screens that cannot show them)
  std::optional<bool> light_background;

  bool operator==(const Capabilities&) const = default;
};

Capabilities known_capabilities(const TerminalEnvironment& environment);

// An answer of the terminal that the decoder recognised.
struct Reply {
  enum class Kind : std::uint8_t {
    kDeviceAttributes,  // DA1: ends a probe
    kMode,              // DECRPM: `first` the mode, `second` its state (0: not known)
    kKittyFlags,        // `first`
    kCursor,            // CPR: row, column, from 1
    kBackground,        // OSC 11: `text` as "rgb:RRRR/GGGG/BBBB"
    kVersion,           // XTVERSION: `text`
    kOther,             // an answer to a question that we do not ask
  } kind = Kind::kOther;
  int first = 0, second = 0;
  std::string text;
};

// What is sent to ask.  DA1 stands last: all terminals answer it, in order, so that its reply ends the probe; until
// then, and for ever where nothing answers, the known capabilities serve.  Typing meanwhile is decoded as usual.
std::string probe_query(const Capabilities& known);
// True: `capabilities` changed, modes must be set anew and everything painted again.
bool learn(Capabilities& capabilities, const Reply& reply);

// What switches the terminal to the interface, and back from any state, also from inside of a frame.
std::string enter_sequence(const Capabilities& capabilities, bool mouse);
// The same without changing the screen: for capabilities that are learned later.
std::string modes_sequence(const Capabilities& capabilities, bool mouse);
std::string leave_sequence(const Capabilities& capabilities);

}  // namespace magi::code::tui
