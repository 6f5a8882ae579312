#include "tools/magi-code/tui/screen/row_writer.h"

#include <algorithm>

#include "libcommon/base/utf8.h"

namespace magi::code::tui {
namespace {

// Up to so many unchanged cells are drawn again where moving the cursor over them would cost more.
constexpr int kBridgeCells = 3;
// From so many blanks on, erasing the rest of the row is shorter.
constexpr int kEraseCells = 4;

std::string_view ascii_picture(std::string_view cluster) {
  struct Pair {
    std::string_view from, to;
  };
  static constexpr Pair kPairs[] = {
      {"─", "-"}, {"━", "-"}, {"│", "|"}, {"┃", "|"},  {"╭", "+"},  {"╮", "+"}, {"╰", "+"}, {"╯", "+"}, {"┌", "+"},
      {"┐", "+"}, {"└", "+"}, {"┘", "+"}, {"├", "+"},  {"┤", "+"},  {"┬", "+"}, {"┴", "+"}, {"┼", "+"}, {"═", "="},
      {"║", "|"}, {"▏", "|"}, {"▎", "|"}, {"▌", "|"},  {"█", "#"},  {"▓", "#"}, {"▒", "#"}, {"░", "."}, {"•", "*"},
      {"●", "*"}, {"○", "o"}, {"◦", "o"}, {"…", "~"},  {"›", ">"},  {"»", ">"}, {"❯", ">"}, {"▸", ">"}, {"▶", ">"},
      {"▾", "v"}, {"▼", "v"}, {"→", ">"}, {"←", "<"},  {"↑", "^"},  {"↓", "v"}, {"✓", "+"}, {"✔", "+"}, {"✗", "x"},
      {"✘", "x"}, {"–", "-"}, {"—", "-"}, {"“", "\""}, {"”", "\""}, {"‘", "'"}, {"’", "'"},
  };
  const auto* found =
      std::find_if(std::begin(kPairs), std::end(kPairs), [&](const Pair& p) { return p.from == cluster; });
  return found == std::end(kPairs) ? cluster : found->to;
}

bool is_ascii(const Cell& cell) { return cell.cluster.size() == 1; }
bool is_blank(const Cell& cell) { return is_ascii(cell) && cell.cluster[0] == ' '; }

}  // namespace

bool is_bare(const Look& look) {
  return look.background == Colour{} && !look.underline && !look.strike && !look.reverse;
}

bool RowWriter::differs(const Cell& a, const Cell& b) const {
  if (a.cluster != b.cluster) return true;
  if (a.style == b.style) return false;
  const Look of_a = theme_.look(a.style), of_b = theme_.look(b.style);
  return of_a != of_b && !(is_blank(a) && is_bare(of_a) && is_bare(of_b));
}

void RowWriter::move_to(int row, int column) {
  if (row == row_ && column == column_) return;
  if (row == row_) {
    const std::string absolute = column == 0 ? "\r" : "\033[" + std::to_string(column + 1) + 'G';
    const int ahead = column - column_;
    const std::string forward = column_ >= 0 && ahead > 0
                                    ? ahead == 1 ? std::string("\033[C") : "\033[" + std::to_string(ahead) + 'C'
                                    : absolute;
    out_ += forward.size() < absolute.size() ? forward : absolute;
  } else {
    out_ += "\033[";
    if (row > 0 || column > 0) out_ += std::to_string(row + 1);
    if (column > 0) out_.append(1, ';').append(std::to_string(column + 1));
    out_ += 'H';
  }
  row_ = row, column_ = column;
}

void RowWriter::set_look(const Look& look) {
  append_sgr(out_, look_, look);
  look_ = look;
}

void RowWriter::raw(std::string_view bytes) {
  out_ += bytes;
  row_ = column_ = -1;
}

// Draws the cells between cursor and `column` again where that is shorter than a jump.
bool RowWriter::bridge(const Surface& next, int row, int column) {
  if (row_ != row || column_ < 0 || column <= column_ || column - column_ > kBridgeCells) return false;
  for (int c = column_; c < column; ++c) {
    if (!is_ascii(next.at(row, c)) || theme_.look(next.at(row, c).style) != look_) return false;
  }
  for (; column_ < column; ++column_) out_ += next.at(row, column_).cluster;
  return true;
}

void RowWriter::put_cell(const Surface& shown, const Surface& next, int row, int column) {
  const Cell& cell = next.at(row, column);
  if (!bridge(next, row, column)) move_to(row, column);
  set_look(theme_.look(cell.style));
  if (is_ascii(cell)) {
    out_ += cell.cluster;
    ++column_;
    return;
  }
  const Cluster size = cluster_at(cell.cluster, 0);
  if (size.uncertain) {
    put_uncertain(shown, next, row, column, size);
    damaged_ = std::max(damaged_, column + size.most_columns);
    return;
  }
  out_ += ascii_only_ ? ascii_picture(cell.cluster) : std::string_view(cell.cluster);
  column_ += size.columns;
}

void RowWriter::put_uncertain(const Surface& shown, const Surface& next, int row, int column, const Cluster& size) {
  const std::string& cluster = next.at(row, column).cluster;
  if (size.columns == 2) {
    // A terminal that takes it for narrower leaves what stood in the second column.
    const Cell& old = shown.at(row, column + 1);
    const bool is_clean = column + 1 >= damaged_ && is_blank(old) && is_bare(theme_.look(old.style)) && is_bare(look_);
    if (!is_clean) {
      out_ += "  ";
      column_ += 2;
      move_to(row, column);
    }
  }
  // One that takes it for wider must not run over the edge of the screen.
  const bool fits = column + size.most_columns <= next.columns();
  out_ += fits ? std::string_view(cluster) : std::string_view(cluster).substr(0, utf8::decode(cluster, 0).length);
  column_ = -1;
}

void RowWriter::erase_tail(const Surface& shown, const Surface& next, int row, int tail) {
  int first = -1, last = -1;
  for (int column = tail; column < next.columns(); ++column) {
    if (column >= damaged_ && !differs(shown.at(row, column), next.at(row, column))) continue;
    if (first < 0) first = column;
    last = column;
  }
  if (first < 0) return;
  move_to(row, first);
  Look plain = look_;
  if (!is_bare(plain)) plain = {};
  set_look(plain);
  if (last - first + 1 < kEraseCells) {
    out_.append(static_cast<std::size_t>(last - first + 1), ' ');
    column_ = last + 1;
  } else {
    out_ += "\033[K";
  }
}

void RowWriter::draw_row(const Surface& shown, const Surface& next, int row) {
  const int columns = next.columns();
  int tail = columns;
  while (tail > 0 && is_blank(next.at(row, tail - 1)) && is_bare(theme_.look(next.at(row, tail - 1).style))) --tail;
  damaged_ = 0;
  for (int column = 0; column < tail; ++column) {
    const Cell& cell = next.at(row, column);
    if (cell.cluster.empty()) continue;
    const bool is_wide = column + 1 < columns && next.at(row, column + 1).cluster.empty();
    if (column >= damaged_ && !differs(shown.at(row, column), cell) &&
        !(is_wide && differs(shown.at(row, column + 1), next.at(row, column + 1)))) {
      continue;
    }
    put_cell(shown, next, row, column);
  }
  erase_tail(shown, next, row, tail);
}

}  // namespace magi::code::tui
