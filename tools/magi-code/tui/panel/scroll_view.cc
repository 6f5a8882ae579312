#include "tools/magi-code/tui/panel/scroll_view.h"

#include <algorithm>

#include "tools/magi-code/tui/panel/fuzzy.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {
namespace {

// More is nothing that anyone reads in a panel.
constexpr std::size_t kMostTextBytes = 4u << 20;

bool is_text_key(const Key& key, std::string_view text) {
  return key.code == KeyCode::kText && !key.ctrl && !key.alt && key.text == text;
}

}  // namespace

void ScrollView::set_lines(std::vector<Line> lines) {
  lines_ = std::move(lines);
  message_.clear();
  columns_ = 0;
  first_ = 0;
}

void ScrollView::set_text(std::string_view text) {
  std::vector<Line> lines;
  for (std::string& line : visible_lines(text.substr(0, kMostTextBytes))) lines.emplace_back(std::move(line));
  if (text.size() > kMostTextBytes)
    lines.emplace_back("(" + size_text(text.size() - kMostTextBytes) + " more are not shown)", Style{Role::kMuted});
  set_lines(std::move(lines));
}

void ScrollView::set_message(std::string text, bool is_error) {
  lines_.clear();
  message_ = std::move(text);
  message_is_error_ = is_error;
  columns_ = 0;
}

void ScrollView::search(std::string_view text) {
  sought_ = folded(text);
  find(true, true);
}

void ScrollView::lay_out(int columns) const {
  if (columns == columns_) return;
  const std::size_t line = first_ < laid_out_.size() ? laid_out_[first_].line : 0;
  laid_out_.clear();
  for (std::size_t i = 0; i < lines_.size(); ++i)
    for (Line& row : wrap(lines_[i], columns)) laid_out_.push_back({i, std::move(row)});
  const auto same = std::find_if(laid_out_.begin(), laid_out_.end(), [&](const Row& row) { return row.line >= line; });
  first_ = static_cast<std::size_t>(same - laid_out_.begin());
  columns_ = columns;
}

std::size_t ScrollView::last_first() const {
  const auto rows = static_cast<std::size_t>(std::max(rows_, 1));
  return laid_out_.size() > rows ? laid_out_.size() - rows : 0;
}

void ScrollView::scroll(std::ptrdiff_t rows) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first_) + rows;
  first_ = at < 0 ? 0 : std::min(static_cast<std::size_t>(at), last_first());
}

void ScrollView::find(bool forward, bool from_here) {
  missed_ = false;
  if (sought_.empty() || lines_.empty()) return;
  const std::size_t count = lines_.size();
  std::size_t at = found_line_ < count ? found_line_ : first_ < laid_out_.size() ? laid_out_[first_].line : 0;
  if (!from_here) at = forward ? (at + 1) % count : (at + count - 1) % count;
  for (std::size_t tried = 0; tried < count; ++tried, at = forward ? (at + 1) % count : (at + count - 1) % count) {
    if (folded(plain_text(lines_[at])).find(sought_) == std::string::npos) continue;
    found_line_ = at;
    const auto row = std::find_if(laid_out_.begin(), laid_out_.end(), [&](const Row& r) { return r.line == at; });
    if (row != laid_out_.end()) first_ = std::min(static_cast<std::size_t>(row - laid_out_.begin()), last_first());
    return;
  }
  missed_ = true;
}

PanelAnswer ScrollView::key(const Key& key) {
  if (typing_) {
    if (key.code == KeyCode::kEscape || key.code == KeyCode::kEnter) {
      typing_ = false;
      if (key.code == KeyCode::kEnter) search(input_.text());
    } else {
      input_.key(key);
    }
    return {};
  }
  if (key.code == KeyCode::kEscape || is_text_key(key, "q")) return {true, {}};
  const std::ptrdiff_t page = std::max(rows_ - 1, 1);
  if (key.code == KeyCode::kUp || is_text_key(key, "k") || key.is_ctrl('p')) scroll(-1);
  if (key.code == KeyCode::kDown || is_text_key(key, "j") || key.is_ctrl('n') || key.code == KeyCode::kEnter) scroll(1);
  if (key.code == KeyCode::kPageUp || key.is_ctrl('b')) scroll(-page);
  if (key.code == KeyCode::kPageDown || is_text_key(key, " ")) scroll(page);
  if (key.code == KeyCode::kHome || is_text_key(key, "g")) first_ = 0;
  if (key.code == KeyCode::kEnd || is_text_key(key, "G")) first_ = last_first();
  if (is_text_key(key, "n")) find(true, false);
  if (is_text_key(key, "N")) find(false, false);
  if (is_text_key(key, "/") || key.is_ctrl('f')) {
    typing_ = true;
    input_.set({});
  }
  return {};
}

PanelAnswer ScrollView::paste(const Paste& paste) {
  if (typing_) input_.paste(paste.text);
  return {};
}

PanelAnswer ScrollView::mouse(const Mouse& mouse, Rect) {
  if (mouse.kind == Mouse::Kind::kWheelUp) scroll(-3);
  if (mouse.kind == Mouse::Kind::kWheelDown) scroll(3);
  return {};
}

Hints ScrollView::hints() const { return {{"/", "search"}, {"n N", "next, previous"}, {"Esc", "close"}}; }

void ScrollView::draw(Surface& surface, Rect area) const {
  surface.fill(area);
  if (area.rows < 1 || area.columns < 1) return;
  Rect foot{area.row + area.rows - 1, area.column, 1, area.columns};
  if (typing_ || area.rows >= 4)
    --area.rows;
  else
    foot.rows = 0;
  if (!message_.empty()) {
    draw_message(surface, area, message_, {message_is_error_ ? Role::kError : Role::kMuted});
  } else {
    lay_out(area.columns);
    rows_ = area.rows;
    first_ = std::min(first_, last_first());
    for (int row = 0; row < area.rows; ++row) {
      const std::size_t at = first_ + static_cast<std::size_t>(row);
      if (at >= laid_out_.size()) break;
      surface.put(area, area.row + row, area.column, laid_out_[at].text);
      if (!sought_.empty() && laid_out_[at].line == found_line_)
        surface.restyle({area.row + row, area.column, 1, area.columns}, {Role::kMatch});
    }
  }
  if (typing_) return input_.draw(surface, foot, "/");
  if (missed_ && foot.rows > 0)
    surface.put(foot, foot.row, foot.column, "not found: " + visible(sought_), {Role::kError});
  else
    draw_hints(surface, foot, hints());
}

}  // namespace magi::code::tui
