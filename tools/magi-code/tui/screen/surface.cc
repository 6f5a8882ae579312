#include "tools/magi-code/tui/screen/surface.h"

#include <algorithm>
#include <cstdint>

#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {

Surface::Surface(int rows, int columns)
    : rows_(std::max(0, rows)),
      columns_(std::max(0, columns)),
      cells_(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_)) {}

Rect Surface::inside(Rect clip) const {
  const int top = std::clamp(clip.row, 0, rows_), left = std::clamp(clip.column, 0, columns_);
  const auto end = [](int begin, int size, int most) {
    return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{begin} + size, 0, most));
  };
  const int bottom = end(clip.row, clip.rows, rows_), right = end(clip.column, clip.columns, columns_);
  return {top, left, std::max(0, bottom - top), std::max(0, right - left)};
}

// Cells [begin, end) of a row are about to be overwritten: of wide clusters that reach over an edge the outer half
// becomes blank.
void Surface::free_edges(int row, int begin, int end) {
  if (begin > 0 && begin < columns_ && cell(row, begin).cluster.empty()) cell(row, begin - 1).cluster = " ";
  if (end > 0 && end < columns_ && cell(row, end).cluster.empty()) cell(row, end).cluster = " ";
}

void Surface::fill(Rect clip, Style style) {
  const Rect area = inside(clip);
  if (area.columns == 0) return;
  for (int row = area.row; row < area.row + area.rows; ++row) {
    free_edges(row, area.column, area.column + area.columns);
    for (int column = area.column; column < area.column + area.columns; ++column) {
      Cell& target = cell(row, column);
      target.cluster.assign(1, ' ');
      target.style = style;
    }
  }
}

int Surface::put(Rect clip, int row, int column, std::string_view text, Style style) {
  const Rect area = inside(clip);
  const int left = area.column, right = area.column + area.columns;
  if (row < area.row || row >= area.row + area.rows || column >= right) return column;
  for (std::size_t at = 0; at < text.size();) {
    const Cluster size = cluster_at(text, at);
    const std::string_view cluster = text.substr(at, size.bytes);
    at += size.bytes;
    if (size.columns == 0) {
      add_mark(row, column, left, cluster);
      continue;
    }
    if (column + size.columns > right) {
      // Half of it would fit: its place stays blank.
      if (column >= left && column < right) column = put_cell(row, column, " ", 1, style);
      break;
    }
    if (column >= left) {
      put_cell(row, column, cluster, size.columns, style);
    } else if (column + size.columns > left) {
      put_cell(row, left, " ", 1, style);
    }
    column += size.columns;
    if (column >= right) break;
  }
  return column;
}

int Surface::put_cell(int row, int column, std::string_view cluster, int columns, Style style) {
  free_edges(row, column, column + columns);
  Cell& first = cell(row, column);
  first.cluster.assign(cluster);
  first.style = style;
  if (columns == 2) {
    Cell& second = cell(row, column + 1);
    second.cluster.clear();
    second.style = style;
  }
  return column + columns;
}

// A mark that a text begins with belongs to what stands to the left.
void Surface::add_mark(int row, int column, int left, std::string_view mark) {
  constexpr std::size_t kMostBytes = 64;
  if (static_cast<unsigned char>(mark[0]) < 0x80) return;
  int base = column - 1;
  if (base >= left && base < columns_ && cell(row, base).cluster.empty()) --base;
  if (base < left || base >= columns_) return;
  std::string& cluster = cell(row, base).cluster;
  if (cluster.size() + mark.size() > kMostBytes) return;
  const int before = columns_of(cluster);
  cluster.append(mark);
  if (columns_of(cluster) != before) cluster.resize(cluster.size() - mark.size());
}

int Surface::put(Rect clip, int row, int column, const Line& line) {
  for (const Span& span : line.spans) column = put(clip, row, column, span.text, span.style);
  return column;
}

Rect Surface::frame(Rect rect, const Line& title, Style style) {
  const int right = rect.column + rect.columns - 1, bottom = rect.row + rect.rows - 1;
  if (rect.columns < 2 || rect.rows < 2) return {rect.row, rect.column, 0, 0};
  for (int column = rect.column + 1; column < right; ++column) {
    put(rect, rect.row, column, "─", style);
    put(rect, bottom, column, "─", style);
  }
  for (int row = rect.row + 1; row < bottom; ++row) {
    put(rect, row, rect.column, "│", style);
    put(rect, row, right, "│", style);
  }
  put(rect, rect.row, rect.column, "╭", style);
  put(rect, rect.row, right, "╮", style);
  put(rect, bottom, rect.column, "╰", style);
  put(rect, bottom, right, "╯", style);
  if (rect.columns > 6 && !title.spans.empty()) {
    const Rect edge{rect.row, rect.column + 2, 1, rect.columns - 4};
    const int after_blank = put(edge, edge.row, edge.column, " ", style);
    put(edge, edge.row, put(edge, edge.row, after_blank, shorten(title, edge.columns - 2)), " ", style);
  }
  return {rect.row + 1, rect.column + 1, rect.rows - 2, rect.columns - 2};
}

void Surface::restyle(Rect clip, Style style) {
  const Rect area = inside(clip);
  for (int row = area.row; row < area.row + area.rows; ++row) {
    for (int column = area.column; column < area.column + area.columns; ++column) {
      cell(row, column).style = style;
      // Both halves of a wide cluster look alike, also where the edge runs through it.
      if (column == area.column && column > 0 && cell(row, column).cluster.empty()) cell(row, column - 1).style = style;
      if (column + 1 < columns_ && cell(row, column + 1).cluster.empty()) cell(row, column + 1).style = style;
    }
  }
}

void Surface::scroll_rows(int top, int bottom, int lines, const Cell& free) {
  const auto row = [&](int r) { return cells_.begin() + std::ptrdiff_t{r} * columns_; };
  if (lines > 0) {
    std::move(row(top + lines), row(bottom), row(top));
    std::fill(row(bottom - lines), row(bottom), free);
  } else if (lines < 0) {
    std::move_backward(row(top), row(bottom + lines), row(bottom));
    std::fill(row(top), row(top - lines), free);
  }
}

void Surface::fill_cells(const Cell& cell) { std::fill(cells_.begin(), cells_.end(), cell); }

}  // namespace magi::code::tui
