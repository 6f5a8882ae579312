// The soft-wrapped rows of a prompt text at one width, and the part of them that is in view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/magi-code/tui/editor/buffer.h"

namespace magi::code::tui {

class Rows {
 public:
  struct Row {
    std::size_t begin = 0, end = 0;  // without the line end
    bool ends_line = false;
  };
  struct Place {
    int row = 0, column = 0;
  };

  // Lays out anew where text or width have changed.  The last column is kept for a cursor behind a full row.
  void update(const Buffer& buffer, int columns);
  // Scrolls so that the cursor is among `rows` rows.
  void show_cursor(const Buffer& buffer, int rows);

  int count() const { return static_cast<int>(rows_.size()); }
  int top() const { return top_; }
  const Row& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
  Place place_of(const Buffer& buffer, std::size_t at) const;
  // The place in the text nearest to a column of a row.
  std::size_t at_column(const Buffer& buffer, int row, int column) const;

 private:
  void add_line(const PromptText& text, std::size_t begin, std::size_t end);

  std::vector<Row> rows_{{0, 0, true}};
  std::uint64_t version_ = 0;
  int columns_ = 0, top_ = 0;
};

}  // namespace magi::code::tui
