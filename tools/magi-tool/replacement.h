// Replacing exact texts in a file's bytes.  Pure: nothing here touches a disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-tool/arguments.h"

namespace magi::toolbox {

inline constexpr std::size_t kMostLinesNamed = 10;

struct Replaced {
  std::string content;
  std::vector<std::size_t> lines;  // where the replacements stand in the old content, from 1
};

// Each old text must occur exactly once (overlapping occurrences count), or at least once with `replace_all`; all are
// looked for in the content as it was, and none may overlap another.  Where every line ends with CRLF, or a text occurs
// only so, LF in old and new text stands for CRLF.
// Errors say what to do: the line numbers of several matches, the nearest candidate of none.  kUsage.
Result<Replaced> replace_texts(std::string_view content, const std::vector<Edit>& edits, bool replace_all);

// Offsets at which `text` occurs, overlapping ones included, at most `limit`.
std::vector<std::size_t> occurrences(std::string_view content, std::string_view text, std::size_t limit);
// The number, from 1, of the line that holds the byte at `offset`.
std::size_t line_of(std::string_view content, std::size_t offset);

}  // namespace magi::toolbox
