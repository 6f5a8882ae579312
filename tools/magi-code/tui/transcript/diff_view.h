// Unified diffs as coloured lines: the cards of edits and the Changes view draw with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui {

struct DiffRow {
  enum class Kind : std::uint8_t { kFile, kHunk, kContext, kAdded, kRemoved, kNote } kind = Kind::kContext;
  std::string text;                         // without the sign; raw, so not yet safe to draw
  std::int64_t old_line = 0, new_line = 0;  // from 1; 0: none on that side, or unknown
  // The bytes of `text` that differ from the line it replaces, as begin, end; empty: the whole line is new.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changed;
};

struct DiffText {
  std::vector<DiffRow> rows;
  std::int64_t added = 0, removed = 0;
};

// `patch` with or without file headers.  Whatever is not a unified diff becomes kNote rows; nothing is lost.
DiffText parse_unified(std::string_view patch);

// The difference of two texts, with at most `context` unchanged lines around each change.  `first_line`: the number of
// their first line, 0: unknown, no numbers.  Bounded: texts of more lines than are worth comparing are shown as removed
// and added whole.
DiffText diff_texts(std::string_view old_text, std::string_view new_text, std::int64_t first_line, int context = 3);

// Marks in added and removed rows that stand for each other which words changed.
void mark_changed_words(DiffText& diff);

// One row as a line: numbers of both sides (`number_columns` wide each; 0: none), the sign, the text in the colours of
// its language (`language` as a file name or a fence says it; empty: none).  As wide as it is: wrap or clip it.
Line draw_diff_row(const DiffRow& row, int number_columns, std::string_view language = {});
// The columns that the largest number of a diff needs; 0: it has none.
int number_columns(const DiffText& diff);

}  // namespace magi::code::tui
