// Replacing texts and lines in a file's content.  Pure: nothing here touches a disk.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Each old text must occur exactly once (overlapping occurrences count), or at least once with `replace_all`; each
// anchor must name the line that it was made for.  All are looked for in the content as it was, and none may overlap
// another. Where every line ends with CRLF, or a text occurs only so, LF in old and new text stands for CRLF; new lines
// end as the line does that they replace or stand beside, and a last line without an end stays one. Errors say what to
// do: the line numbers of several matches, the nearest candidate of none, where an anchor's line is now.  kUsage.
Result<Replaced> replace_texts(std::string_view content, const std::vector<Edit>& edits, bool replace_all);

// Offsets at which `text` occurs, overlapping ones included, at most `limit`.
std::vector<std::size_t> occurrences(std::string_view content, std::string_view text, std::size_t limit);
// The number, from 1, of the line that holds the byte at `offset`.
std::size_t line_of(std::string_view content, std::size_t offset);

// A line's number and a digest of its text, "12:a3f1": by it a model names a line that it has read, and an edit notices
// when the line is another one.  The digest of a line comes in pieces; its LF does not count.
class LineDigest {
 public:
  void add(std::string_view piece) {
    for (const char c : piece) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x01000193u;  // FNV-1a
  }
  std::string anchor(std::size_t line) const;

 private:
  std::uint32_t hash_ = 0x811c9dc5u;
};
std::string line_anchor(std::size_t line, std::string_view text);

bool all_lines_end_with_crlf(std::string_view content);
std::string with_crlf(std::string_view text);

}  // namespace magi::toolbox
