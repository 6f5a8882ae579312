#include "tools/magi-code/tui/panel/list_view.h"

namespace magi::code::tui {

bool ListView::key(const Key& key, bool ends) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(page_, 2) - 1);
  if (key.code == KeyCode::kUp || key.is_ctrl('p')) return move(-1), true;
  if (key.code == KeyCode::kDown || key.is_ctrl('n')) return move(1), true;
  if (key.code == KeyCode::kPageUp) return move(-page), true;
  if (key.code == KeyCode::kPageDown) return move(page), true;
  if (ends && key.code == KeyCode::kHome) return select(0), true;
  if (ends && key.code == KeyCode::kEnd) return select(size_), true;
  return false;
}

std::size_t ListView::first_of(std::size_t rows) const {
  page_ = std::max<std::size_t>(rows, 1);
  if (selected_ < first_) first_ = selected_;
  if (selected_ >= first_ + page_) first_ = selected_ - page_ + 1;
  if (first_ + page_ > size_) first_ = size_ > page_ ? size_ - page_ : 0;
  return first_;
}

}  // namespace magi::code::tui
