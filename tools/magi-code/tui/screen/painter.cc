#include "tools/magi-code/tui/screen/painter.h"

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/magi-code/tui/screen/row_writer.h"
#include "tools/magi-code/tui/screen/scroll.h"

namespace magi::code::tui {
namespace {

// A frame of fewer bytes than this is one write that terminals take at once: not worth a synchronized update.
constexpr std::size_t kSmallFrameBytes = 64;
// Two panes may scroll in one frame; more is rare.
constexpr int kMostScrolls = 2;
// A frame that changes fewer rows has not scrolled.
constexpr int kLeastScrolledRows = 3;

// Stands for what nobody knows; no text has it.
const Cell& unknown_cell() {
  static const Cell cell{"\x01", {}};
  return cell;
}

bool row_differs(const Surface& a, const Surface& b, int row) {
  for (int column = 0; column < b.columns(); ++column) {
    if (a.at(row, column) != b.at(row, column)) return true;
  }
  return false;
}

RowMark mark_of(const Surface& surface, int row) {
  RowMark mark{14695981039346656037U, 0};  // FNV-1a
  const auto mix = [&](unsigned char byte) { mark.hash = (mark.hash ^ byte) * 1099511628211U; };
  int blanks = 0;
  for (int column = 0; column < surface.columns(); ++column) {
    const Cell& cell = surface.at(row, column);
    for (const char c : cell.cluster) mix(static_cast<unsigned char>(c));
    const Style& s = cell.style;
    mix(static_cast<unsigned char>(s.role));
    mix(static_cast<unsigned char>(s.bold | s.italic << 1 | s.underline << 2 | s.strike << 3 | s.reverse << 4));
    if (cell.cluster == " ") {
      ++blanks;
    } else {
      mark.bytes += blanks + static_cast<int>(cell.cluster.size());
      blanks = 0;
    }
  }
  return mark;
}

std::vector<RowMark> marks_of(const Surface& surface) {
  std::vector<RowMark> marks;
  marks.reserve(static_cast<std::size_t>(surface.rows()));
  for (int row = 0; row < surface.rows(); ++row) marks.push_back(mark_of(surface, row));
  return marks;
}

void append_scroll(RowWriter& writer, const Scroll& scroll, int rows, bool by_su) {
  writer.set_look({});
  const bool is_whole = scroll.top == 0 && scroll.bottom == rows;
  const std::string count = std::to_string(std::abs(scroll.lines));
  std::string bytes;
  if (!is_whole) bytes += "\033[" + std::to_string(scroll.top + 1) + ';' + std::to_string(scroll.bottom) + 'r';
  if (!by_su) bytes += "\033[" + std::to_string(scroll.top + 1) + 'H';
  const char command = by_su ? scroll.lines > 0 ? 'S' : 'T' : scroll.lines > 0 ? 'M' : 'L';
  bytes += "\033[" + count + command;
  if (!is_whole) bytes += "\033[r";
  writer.raw(bytes);
}

// Moves rows that only moved, on the terminal and in `shown`.
void scroll(RowWriter& writer, Surface& shown, const Surface& next, bool by_su, const Cell& free) {
  int changed = 0;
  for (int row = 0; row < next.rows() && changed < kLeastScrolledRows; ++row) changed += row_differs(shown, next, row);
  if (changed < kLeastScrolledRows) return;
  const std::vector<RowMark> wanted = marks_of(next);
  for (int i = 0; i < kMostScrolls; ++i) {
    const Scroll found = find_scroll(marks_of(shown), wanted);
    if (found.lines == 0) return;
    append_scroll(writer, found, next.rows(), by_su);
    shown.scroll_rows(found.top, found.bottom, found.lines, free);
  }
}

bool on_grid(const Surface& surface) {
  return surface.cursor_row() >= 0 && surface.cursor_row() < surface.rows() && surface.cursor_column() >= 0 &&
         surface.cursor_column() < surface.columns();
}

}  // namespace

Painter::Painter(const Capabilities& capabilities, const Theme& theme) : capabilities_(capabilities), theme_(theme) {}

void Painter::set_theme(const Theme& theme) {
  theme_ = theme;
  invalidate();
}

void Painter::set_capabilities(const Capabilities& capabilities) {
  capabilities_ = capabilities;
  invalidate();
}

std::string Painter::paint(Surface next) {
  RowWriter writer(theme_, !capabilities_.unicode);
  // What erasing and scrolling leave behind is the terminal's own background.
  const Cell free = is_bare(theme_.look({})) ? Cell{} : unknown_cell();
  const bool anew = !known_ || shown_.rows() != next.rows() || shown_.columns() != next.columns();
  if (anew) {
    shown_ = Surface(next.rows(), next.columns());
    shown_.fill_cells(free);
    writer.raw("\033[m\033[r\033[H\033[J");
  } else {
    if (cursor_visible_) writer.begin_at(shown_.cursor_row(), shown_.cursor_column());
    scroll(writer, shown_, next, capabilities_.scroll_by_su, free);
  }
  for (int row = 0; row < next.rows(); ++row) {
    if (row_differs(shown_, next, row)) writer.draw_row(shown_, next, row);
  }
  if (!writer.bytes().empty()) writer.set_look({});
  const bool shows_cursor = on_grid(next), hid_cursor = cursor_visible_ && !anew;
  if (shows_cursor) writer.move_to(next.cursor_row(), next.cursor_column());
  std::string body = std::move(writer.bytes());
  const bool is_small = body.size() <= kSmallFrameBytes;
  const bool hides = !is_small && !capabilities_.synchronized_output && hid_cursor;
  if (hides || (anew && !shows_cursor) || (cursor_visible_ && !shows_cursor)) body.insert(0, "\033[?25l");
  if (shows_cursor && (hides || anew || !cursor_visible_)) body += "\033[?25h";
  if (capabilities_.synchronized_output && !is_small) body = "\033[?2026h" + std::move(body) + "\033[?2026l";
  shown_ = std::move(next);
  known_ = true;
  cursor_visible_ = shows_cursor;
  return body;
}

}  // namespace magi::code::tui
