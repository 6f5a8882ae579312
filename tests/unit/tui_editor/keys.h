// Keys for editor tests, as short as they can be written.
#pragma once

#include <string>
#include <string_view>

#include "tools/magi-code/tui/editor/editor.h"

namespace magi::test {

using code::tui::Editor;
using code::tui::EditorAnswer;
using code::tui::Key;
using code::tui::KeyCode;

inline Key ctrl(char c) { return {KeyCode::kText, std::string(1, c), true, false, false}; }
inline Key alt(char c) { return {KeyCode::kText, std::string(1, c), false, true, false}; }
inline Key named(KeyCode code, bool with_ctrl = false, bool with_alt = false, bool with_shift = false) {
  return {code, {}, with_ctrl, with_alt, with_shift};
}

// Types each character by itself; LF as Alt-Enter, ESC as Escape.
inline void type(Editor& editor, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;
    while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0) == 0x80) ++size;
    const std::string_view one = text.substr(at, size);
    if (one == "\n") {
      (void)editor.key(named(KeyCode::kEnter, false, true));
    } else if (one == "\033") {
      (void)editor.key(named(KeyCode::kEscape));
    } else {
      (void)editor.key({KeyCode::kText, std::string(one), false, false, false});
    }
    at += size;
  }
}

}  // namespace magi::test
