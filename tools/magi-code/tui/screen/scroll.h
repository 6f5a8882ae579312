// Finds rows that only moved between two frames, so that the terminal can move them itself.
#pragma once

#include <cstdint>
#include <vector>

namespace magi::code::tui {

struct RowMark {
  std::uint64_t hash = 0;  // of all cells
  int bytes = 0;           // about what drawing it costs; 0: it is blank
};

// Rows [top, bottom) move up by `lines`, down where it is negative; 0: nothing is worth moving.
struct Scroll {
  int top = 0, bottom = 0, lines = 0;
};
// Requires: as many rows in both.  Saves more bytes than the sequences cost, or moves nothing.
Scroll find_scroll(const std::vector<RowMark>& shown, const std::vector<RowMark>& next);

}  // namespace magi::code::tui
