#include "tools/magi-code/tui/transcript/markdown/table.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "tools/magi-code/tui/text/wrap.h"
#include "tools/magi-code/tui/transcript/laid_line.h"

namespace magi::code::tui {
namespace {

constexpr int kGap = 3;          // " │ "
constexpr int kLeastColumn = 4;  // narrower cells cannot be read

std::string blanks(int count) { return std::string(static_cast<std::size_t>(std::max(count, 0)), ' '); }

std::string rule(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "─";
  return text;
}

std::vector<int> natural_widths(const Table& table) {
  std::vector<int> widths(table.aligns.size(), 1);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  return widths;
}

// Takes from the widest columns until all fit.
bool fit(std::vector<int>& widths, int room) {
  const int least = static_cast<int>(std::accumulate(
      widths.begin(), widths.end(), 0, [](int sum, int width) { return sum + std::min(width, kLeastColumn); }));
  if (least > room) return false;
  int total = std::accumulate(widths.begin(), widths.end(), 0);
  while (total > room) {
    const int widest = *std::max_element(widths.begin(), widths.end());
    int next = kLeastColumn;  // the widest below them
    int count = 0;
    for (const int width : widths) {
      if (width == widest)
        ++count;
      else
        next = std::max(next, width);
    }
    const int step = std::max(1, std::min(widest - next, (total - room) / count));
    for (int& width : widths) {
      if (width != widest || total <= room) continue;
      width -= std::min(step, total - room);
      total -= std::min(step, total - room);
    }
  }
  return true;
}

void add_cell(Line& out, const Line* cell, int width, Align align) {
  const int used = cell ? columns_of(*cell) : 0;
  const int left = align == Align::kRight ? width - used : align == Align::kCentre ? (width - used) / 2 : 0;
  append_text(out, blanks(left), {});
  if (cell)
    for (const Span& span : cell->spans) append_text(out, span.text, span.style);
  append_text(out, blanks(width - used - left), {});
}

Line emphasised(Line line) {
  for (Span& span : line.spans) span.style.bold = true;
  return line;
}

void lay_row(std::vector<Line>& out, const Table& table, const std::vector<Line>& row, const std::vector<int>& widths,
             bool heading) {
  std::vector<std::vector<Line>> cells(widths.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
    cells[i] = wrap(heading ? emphasised(row[i]) : row[i], widths[i]);
    height = std::max(height, cells[i].size());
  }
  for (std::size_t k = 0; k < height; ++k) {
    Line line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) append_text(line, " │ ", {Role::kBorder});
      add_cell(line, k < cells[i].size() ? &cells[i][k] : nullptr, widths[i], table.aligns[i]);
    }
    while (!line.spans.empty() && line.spans.back().text.find_first_not_of(' ') == std::string::npos)
      line.spans.pop_back();
    if (!line.spans.empty()) {
      std::string& text = line.spans.back().text;
      text.erase(text.find_last_not_of(' ') + 1);
    }
    out.push_back(std::move(line));
  }
}

std::vector<Line> as_list(const Table& table, int columns) {
  std::vector<Line> out;
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    if (r > 1) out.emplace_back();
    for (std::size_t i = 0; i < std::min(table.rows[r].size(), table.aligns.size()); ++i) {
      Line line;
      if (i < table.rows[0].size())
        for (const Span& span : emphasised(table.rows[0][i]).spans) append_text(line, span.text, span.style);
      append_text(line, ": ", {Role::kMuted});
      for (const Span& span : table.rows[r][i].spans) append_text(line, span.text, span.style);
      for (Line& wrapped : wrap(line, columns)) out.push_back(std::move(wrapped));
    }
  }
  return out;
}

}  // namespace

std::vector<Line> lay_table(const Table& table, int columns) {
  std::vector<Line> out;
  if (table.rows.empty() || table.aligns.empty()) return out;
  std::vector<int> widths = natural_widths(table);
  const int gaps = kGap * (static_cast<int>(widths.size()) - 1);
  if (!fit(widths, columns - gaps)) return as_list(table, columns);
  lay_row(out, table, table.rows[0], widths, true);
  Line under;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) append_text(under, "─┼─", {Role::kBorder});
    append_text(under, rule(widths[i]), {Role::kBorder});
  }
  out.push_back(std::move(under));
  for (std::size_t r = 1; r < table.rows.size(); ++r) lay_row(out, table, table.rows[r], widths, false);
  return out;
}

}  // namespace magi::code::tui
