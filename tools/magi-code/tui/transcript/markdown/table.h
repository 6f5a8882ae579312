// A Markdown table fitted to a width: columns shrink and cells wrap; where even that is too narrow, each row becomes a
// list of "heading: cell".
#pragma once

#include <cstdint>
#include <vector>

#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui {

enum class Align : std::uint8_t { kLeft, kCentre, kRight };

struct Table {
  std::vector<Align> aligns;            // one a column
  std::vector<std::vector<Line>> rows;  // the first is the heading; a row may have fewer cells
};

std::vector<Line> lay_table(const Table& table, int columns);

}  // namespace magi::code::tui
