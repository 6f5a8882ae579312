// Which of many rows is selected and which are in view.  Knows nothing of what the rows are.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

class ListView {
 public:
  std::size_t size() const { return size_; }
  std::size_t selected() const { return selected_; }  // 0 where there are no rows
  void resize(std::size_t size) {
    size_ = size;
    select(selected_);
  }
  void select(std::size_t row) { selected_ = size_ == 0 ? 0 : std::min(row, size_ - 1); }
  void move(std::ptrdiff_t rows) {
    const auto at = static_cast<std::ptrdiff_t>(selected_) + rows;
    select(at < 0 ? 0 : static_cast<std::size_t>(at));
  }
  // Up, Down, Ctrl-P, Ctrl-N, Page Up, Page Down; false: another key.  Home and End only with `ends`.
  bool key(const Key& key, bool ends);

  // The first row in view of so many, kept where it is as long as the selected one is in view.
  std::size_t first_of(std::size_t rows) const;

 private:
  std::size_t size_ = 0, selected_ = 0;
  mutable std::size_t first_ = 0, page_ = 10;  // as drawn last
};

}  // namespace magi::code::tui
