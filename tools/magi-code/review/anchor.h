// Finds the line again that a comment was made on.  Pure: looks at the lines of the commented file alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/review/comment.h"

namespace magi::code::review {

inline constexpr std::size_t kNeighbours = 3;
// Longer lines are kept and compared by their beginning.
inline constexpr std::size_t kQuotedBytes = 400;

// A line as an anchor keeps it: without its line end, cut, valid UTF-8, secrets masked.
std::string anchor_text(std::string_view line);

// An anchor for lines[at] (kNewSide), with its neighbours.  Requires: at < lines.size().
Anchor anchor_of(const std::vector<std::string_view>& lines, std::size_t at);

// The line, from 1, where it stands now.  Of several lines with its text the one with the most of its neighbours
// counts, then the nearest; a line of no letters and digits ("}") needs its neighbours, or the place where it was.  Of
// a removed line: the line that follows the gap (at most one behind the last).  Nothing: the place is lost.
std::optional<std::int64_t> find_anchor(const std::vector<std::string_view>& lines, const Anchor& anchor);

// Lines without their LF; a last one without LF counts.
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace magi::code::review
