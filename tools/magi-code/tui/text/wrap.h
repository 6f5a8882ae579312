// Lines of any length into lines that fit: between words where there are some, inside of a word where it alone is too
// long, between any two wide characters (CJK).  Styles are kept, no text is lost but the blanks that a break replaces.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui {

struct Indent {
  Line first;  // stands before the first line: a bullet, a quote's bar
  Line rest;   // before each further line; of the same width, commonly blanks
};

// At least one line, each at most `columns` wide (a wide cluster in one column is replaced by a blank).  Texts are safe
// (visible.h) and without line ends.  An indent that leaves fewer than 8 columns is left out.
std::vector<Line> wrap(const Line& line, int columns, const Indent& indent = {});
// The same where columns matter more than words (code, output): breaks exactly at the edge, keeps all blanks.
std::vector<Line> wrap_exact(const Line& line, int columns, const Indent& indent = {});

// Where wrap() would break one text: the byte offset at which each row begins, the first is 0.  The blanks at a break
// stay at the end of the row before it, so that every byte belongs to a row.
std::vector<std::size_t> row_starts(std::string_view text, int columns);

int columns_of(const Line& line);
// At most `columns` wide, an ellipsis where something is left out.
Line shorten(const Line& line, int columns);
// `line` as plain text.
std::string plain_text(const Line& line);

}  // namespace magi::code::tui
