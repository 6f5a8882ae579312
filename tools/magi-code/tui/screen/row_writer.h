// Writes cells at places: keeps where the terminal's cursor stands and which look is set, so that neither is said
// twice.
#pragma once

#include <string>
#include <string_view>

#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/theme/theme.h"

namespace magi::code::tui {

// A blank in this look is nothing but background.
bool is_bare(const Look& look);

class RowWriter {
 public:
  // `ascii_only`: pictures of lines and the like become ASCII.
  RowWriter(const Theme& theme, bool ascii_only) : theme_(theme), ascii_only_(ascii_only) {}

  // Where the cursor is known to stand from the frame before.
  void begin_at(int row, int column) { row_ = row, column_ = column; }

  // Draws what differs between `shown` and `next` in one row.
  void draw_row(const Surface& shown, const Surface& next, int row);
  void move_to(int row, int column);
  void set_look(const Look& look);
  // Bytes that leave the cursor somewhere else.
  void raw(std::string_view bytes);
  std::string& bytes() { return out_; }

 private:
  bool differs(const Cell& a, const Cell& b) const;
  bool bridge(const Surface& next, int row, int column);
  void put_cell(const Surface& shown, const Surface& next, int row, int column);
  void put_uncertain(const Surface& shown, const Surface& next, int row, int column, const Cluster& size);
  void erase_tail(const Surface& shown, const Surface& next, int row, int tail);

  const Theme& theme_;
  bool ascii_only_;
  std::string out_;
  Look look_;
  int row_ = -1, column_ = -1;  // -1: not known
  int damaged_ = 0;             // up to this column of the row the terminal may show something else than was drawn
};

}  // namespace magi::code::tui
