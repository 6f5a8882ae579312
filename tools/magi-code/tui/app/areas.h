// Which part of the screen is whose.  Pure.
#pragma once

#include "tools/magi-code/tui/screen/surface.h"

namespace magi::code::tui {

struct Areas {
  Rect transcript, panel, card, notice, waiting, approval, completion, border, editor, foot;

  bool operator==(const Areas&) const = default;
};

// How many rows each part would like; the transcript takes what is left, and gives way last.
struct Wishes {
  int notice = 0, waiting = 0, approval = 0, completion = 0, editor = 1;
};

// Everything lies inside of rows x columns, parts without room are empty; the editor has at least one row where there
// is one.
Areas divide(int rows, int columns, const Wishes& wishes);

}  // namespace magi::code::tui
