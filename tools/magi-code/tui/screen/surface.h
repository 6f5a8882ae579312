// A grid of cells that views draw into.  Pure memory: screen/painter.h turns two of them into terminal output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui {

struct Rect {
  int row = 0, column = 0, rows = 0, columns = 0;

  bool operator==(const Rect&) const = default;
};

struct Cell {
  std::string cluster = " ";  // one grapheme cluster; empty: the right half of the wide cell to the left
  Style style;

  bool operator==(const Cell&) const = default;
};

class Surface {
 public:
  Surface(int rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  // Requires: inside the grid.
  const Cell& at(int row, int column) const { return cells_[static_cast<std::size_t>(row * columns_ + column)]; }
  // The part of `clip` that lies on the grid.
  Rect inside(Rect clip) const;

  // Everything below clips to `clip` and the grid, and never leaves half of a wide cell.
  void fill(Rect clip, Style style = {});
  // The column behind what was drawn.  Texts are safe (text/visible.h).
  int put(Rect clip, int row, int column, std::string_view text, Style style = {});
  int put(Rect clip, int row, int column, const Line& line);
  // A frame of box-drawing characters around the inside of `rect`, with a title in its upper edge; the area within.
  Rect frame(Rect rect, const Line& title = {}, Style style = {Role::kBorder});
  // Gives what stands there another role or attributes (selections, matches), keeping the text.
  void restyle(Rect clip, Style style);

  // Where the terminal's cursor stands; hidden where it is off the grid.
  void set_cursor(int row, int column) { cursor_row_ = row, cursor_column_ = column; }
  int cursor_row() const { return cursor_row_; }
  int cursor_column() const { return cursor_column_; }

  // For the painter, which tells the terminal to do the same: moves rows [top, bottom) up by `lines` (negative: down);
  // rows that come free hold `free`.  Requires: inside the grid, at most as many lines as rows.
  void scroll_rows(int top, int bottom, int lines, const Cell& free);
  void fill_cells(const Cell& cell);

 private:
  Cell& cell(int row, int column) { return cells_[static_cast<std::size_t>(row * columns_ + column)]; }
  void free_edges(int row, int begin, int end);
  int put_cell(int row, int column, std::string_view cluster, int columns, Style style);
  void add_mark(int row, int column, int left, std::string_view mark);

  int rows_, columns_, cursor_row_ = -1, cursor_column_ = -1;
  std::vector<Cell> cells_;
};

}  // namespace magi::code::tui
