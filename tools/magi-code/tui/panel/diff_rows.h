// What the Changes view shows of one file: the rows of its diff, each comment behind the line that it is on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/magi-code/tui/panel/data.h"
#include "tools/magi-code/tui/panel/effect.h"
#include "tools/magi-code/tui/transcript/diff_view.h"

namespace magi::code::tui {

struct DiffEntry {
  std::size_t row = 0;                 // into DiffRows::diff.rows; kNoRow: a comment without a place in the diff
  std::optional<std::size_t> comment;  // into the comments that were given
};
inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

struct DiffRows {
  DiffText diff;
  std::vector<DiffEntry> entries;
  int number_columns = 0;
};

// `comments`: of all files.
DiffRows rows_of(const DiffFile& file, const std::vector<ReviewComment>& comments);

// An anchor for a row that was changed or stands beside a change; nothing for other rows.
std::optional<EditComment> comment_on(const DiffRows& rows, std::size_t row, const std::string& path);

}  // namespace magi::code::tui
