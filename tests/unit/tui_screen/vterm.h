// A terminal emulator for tests: what a real terminal would show after these bytes.
// libvterm 0.1.4 adds up the columns of code points and knows emoji up to Unicode 11; elsewhere it does what xterm
// does.
#pragma once

#include <vterm.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/utf8.h"

namespace magi::test {

class Emulator {
 public:
  struct Shown {
    std::string text;  // " ": blank; empty: the right half of a wide character
    bool bold = false, italic = false, underline = false, reverse = false, strike = false;
    int foreground = -1, background = -1;  // palette index, -1: default
  };

  Emulator(int rows, int columns) : vterm_(vterm_new(rows, columns), vterm_free) {
    vterm_set_utf8(vterm_.get(), 1);
    screen_ = vterm_obtain_screen(vterm_.get());
    vterm_screen_enable_altscreen(screen_, 1);
    static constexpr VTermScreenCallbacks kCallbacks = {nullptr, nullptr, nullptr, on_property,
                                                        nullptr, nullptr, nullptr, nullptr};
    vterm_screen_set_callbacks(screen_, &kCallbacks, this);
    vterm_screen_reset(screen_, 1);
  }

  void feed(std::string_view bytes) { vterm_input_write(vterm_.get(), bytes.data(), bytes.size()); }
  void resize(int rows, int columns) { vterm_set_size(vterm_.get(), rows, columns); }

  Shown at(int row, int column) const {
    VTermScreenCell cell{};
    vterm_screen_get_cell(screen_, {row, column}, &cell);
    Shown shown;
    if (cell.chars[0] == 0) {
      shown.text = " ";
    } else if (cell.chars[0] != static_cast<std::uint32_t>(-1)) {
      for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; ++i) utf8::append(shown.text, cell.chars[i]);
    }
    shown.bold = cell.attrs.bold, shown.italic = cell.attrs.italic, shown.underline = cell.attrs.underline != 0;
    shown.reverse = cell.attrs.reverse, shown.strike = cell.attrs.strike;
    if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) && VTERM_COLOR_IS_INDEXED(&cell.fg))
      shown.foreground = cell.fg.indexed.idx;
    if (!VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) && VTERM_COLOR_IS_INDEXED(&cell.bg))
      shown.background = cell.bg.indexed.idx;
    return shown;
  }

  // Blanks at the end are left out.
  std::string row(int row) const {
    int rows = 0, columns = 0;
    vterm_get_size(vterm_.get(), &rows, &columns);
    std::string text;
    for (int column = 0; column < columns; ++column) text += at(row, column).text;
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
  }

  int cursor_row() const { return cursor().row; }
  int cursor_column() const { return cursor().col; }
  bool cursor_visible() const { return cursor_visible_; }
  bool alternate_screen() const { return alternate_; }

 private:
  VTermPos cursor() const {
    VTermPos pos{};
    vterm_state_get_cursorpos(vterm_obtain_state(vterm_.get()), &pos);
    return pos;
  }

  static int on_property(VTermProp property, VTermValue* value, void* self) {
    auto* emulator = static_cast<Emulator*>(self);
    if (property == VTERM_PROP_CURSORVISIBLE) emulator->cursor_visible_ = value->boolean != 0;
    if (property == VTERM_PROP_ALTSCREEN) emulator->alternate_ = value->boolean != 0;
    return 1;
  }

  std::unique_ptr<VTerm, void (*)(VTerm*)> vterm_;
  VTermScreen* screen_ = nullptr;
  bool cursor_visible_ = true, alternate_ = false;
};

}  // namespace magi::test
