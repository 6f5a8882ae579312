// What a person does at the terminal, decoded: keys, pastes, the mouse, the window's size and focus.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace magi::code::tui {

enum class KeyCode : std::uint8_t {
  kText,  // `text` holds what was typed: one grapheme cluster or more (input methods send several at once)
  kEnter,
  kTab,
  kEscape,
  kBackspace,
  kDelete,
  kInsert,
  kUp,
  kDown,
  kLeft,
  kRight,
  kHome,
  kEnd,
  kPageUp,
  kPageDown,
  kF1,
  kF2,
  kF3,
  kF4,
  kF5,
  kF6,
  kF7,
  kF8,
  kF9,
  kF10,
  kF11,
  kF12,
};

struct Key {
  KeyCode code = KeyCode::kText;
  std::string text;  // of kText; with ctrl or alt the plain lower-case character: Ctrl-C is {kText, "c", ctrl}
  bool ctrl = false, alt = false, shift = false;

  bool operator==(const Key&) const = default;
  bool is_ctrl(char c) const { return code == KeyCode::kText && ctrl && !alt && text.size() == 1 && text[0] == c; }
  bool is_alt(char c) const { return code == KeyCode::kText && alt && !ctrl && text.size() == 1 && text[0] == c; }
};

// A bracketed paste, whole, of any size; line ends are LF.
struct Paste {
  std::string text;
};

// Cells count from 0.
struct Mouse {
  enum class Kind : std::uint8_t { kPress, kRelease, kDrag, kWheelUp, kWheelDown } kind = Kind::kPress;
  int column = 0, row = 0;
};

struct Resize {
  int columns = 80, rows = 24;
};

struct Focus {
  bool gained = false;
};

using InputEvent = std::variant<Key, Paste, Mouse, Resize, Focus>;

}  // namespace magi::code::tui
