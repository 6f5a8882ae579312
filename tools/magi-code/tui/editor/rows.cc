#include "tools/magi-code/tui/editor/rows.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {

void Rows::update(const Buffer& buffer, int columns) {
  columns = std::max(1, columns - 1);
  if (columns == columns_ && version_ == buffer.version()) return;
  columns_ = columns;
  version_ = buffer.version();
  rows_.clear();
  const PromptText& text = buffer.text();
  for (std::size_t at = 0;;) {
    const std::size_t end = text.line_end(at);
    add_line(text, at, end);
    if (end == text.size()) break;
    at = end + 1;
  }
}

void Rows::add_line(const PromptText& text, std::size_t begin, std::size_t end) {
  const std::string shown = text.shown(begin, end);
  std::vector<std::size_t> starts = row_starts(shown, columns_);
  if (shown != std::string_view(text.raw()).substr(begin, end - begin)) {
    // What is drawn is not what is stored: places in the one become places in the other, unit by unit.
    std::size_t in_shown = 0, unit = begin;
    for (std::size_t& start : starts) {
      while (unit < end && in_shown < start) {
        const std::size_t next = text.next(unit);
        in_shown += text.shown(unit, next).size();
        unit = next;
      }
      start = unit - begin;
    }
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool is_last = i + 1 == starts.size();
    rows_.push_back({begin + starts[i], is_last ? end : begin + starts[i + 1], is_last});
  }
}

void Rows::show_cursor(const Buffer& buffer, int rows) {
  const int row = place_of(buffer, buffer.cursor()).row;
  top_ = std::clamp(top_, row - rows + 1, row);
  top_ = std::clamp(top_, 0, std::max(0, count() - rows));
}

Rows::Place Rows::place_of(const Buffer& buffer, std::size_t at) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), at,
                                      [](std::size_t offset, const Row& row) { return offset < row.begin; });
  const auto row = after - 1;
  const int column = columns_of(buffer.text().shown(row->begin, at));
  return {static_cast<int>(row - rows_.begin()), std::min(column, columns_)};
}

std::size_t Rows::at_column(const Buffer& buffer, int index, int column) const {
  const Row& row = rows_[static_cast<std::size_t>(std::clamp(index, 0, count() - 1))];
  const PromptText& text = buffer.text();
  // Behind the last unit of a row that goes on, the next row begins.
  const std::size_t last = row.ends_line || row.end == row.begin ? row.end : text.before(row.end);
  std::size_t at = row.begin;
  for (int left = column; at < last;) {
    const std::size_t next = text.next(at);
    left -= columns_of(text.shown(at, next));
    if (left < 0) break;
    at = next;
  }
  return at;
}

}  // namespace magi::code::tui
