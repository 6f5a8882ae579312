#include "tools/magi-code/tui/panel/line_input.h"

#include <algorithm>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {

LineInput::LineInput(std::string text, std::size_t most_bytes) : most_bytes_(most_bytes) { set(std::move(text)); }

void LineInput::set(std::string text) {
  text_.clear();
  cursor_ = 0;
  insert(text);
}

// What is kept is what is shown, so that the cursor's place is known.
void LineInput::insert(std::string_view text) {
  const std::string safe = visible(text);
  if (text_.size() + safe.size() > most_bytes_) return;
  text_.insert(cursor_, safe);
  cursor_ += safe.size();
}

void LineInput::erase(std::size_t begin, std::size_t end) {
  text_.erase(begin, end - begin);
  cursor_ = begin;
}

std::size_t LineInput::word_before() const {
  std::size_t at = cursor_;
  while (at > 0 && text_[at - 1] == ' ') --at;
  while (at > 0 && text_[at - 1] != ' ') --at;
  return at;
}

bool LineInput::control(char c) {
  switch (c) {
    case 'a': cursor_ = 0; return true;
    case 'e': cursor_ = text_.size(); return true;
    case 'b': cursor_ = cluster_before(text_, cursor_); return true;
    case 'u': erase(0, cursor_); return true;
    case 'k': text_.resize(cursor_); return true;
    case 'w': erase(word_before(), cursor_); return true;
    case 'h': erase(cluster_before(text_, cursor_), cursor_); return true;
    default: return false;
  }
}

bool LineInput::key(const Key& key) {
  const auto next = [&] { return cursor_ < text_.size() ? cursor_ + cluster_at(text_, cursor_).bytes : cursor_; };
  switch (key.code) {
    case KeyCode::kText:
      if (key.ctrl && !key.alt && key.text.size() == 1) return control(key.text[0]);
      if (key.ctrl || key.alt) return false;
      insert(key.text);
      return true;
    case KeyCode::kBackspace:
      erase(key.alt || key.ctrl ? word_before() : cluster_before(text_, cursor_), cursor_);
      return true;
    case KeyCode::kDelete:
      if (cursor_ < text_.size()) erase(cursor_, next());
      return true;
    case KeyCode::kLeft: cursor_ = cluster_before(text_, cursor_); return true;
    case KeyCode::kRight: cursor_ = next(); return true;
    case KeyCode::kHome: cursor_ = 0; return true;
    case KeyCode::kEnd: cursor_ = text_.size(); return true;
    default: return false;
  }
}

void LineInput::paste(std::string_view text) { insert(text.substr(0, most_bytes_)); }

void LineInput::draw(Surface& surface, Rect area, std::string_view label) const {
  if (area.rows < 1 || area.columns < 1) return;
  Rect row{area.row, area.column, 1, area.columns};
  const int begin = std::min(surface.put(row, area.row, area.column, shorten(label, area.columns / 2), {Role::kMuted}),
                             area.column + area.columns - 1);
  row = {area.row, begin, 1, area.column + area.columns - begin};
  const std::string_view before = std::string_view(text_).substr(0, cursor_);
  const int at = columns_of(before);
  const int first = std::max(0, at - row.columns + 1);
  surface.put(row, area.row, begin - first, text_, {});
  surface.set_cursor(area.row, begin + at - first);
}

}  // namespace magi::code::tui
