// A text as it is read rather than as it is spelled: lower case, compatibility forms and accents folded, look-alike
// letters of other alphabets and digits inside words taken for what they stand for, spaced-out letters drawn together,
// white space made one blank, invisible characters dropped.  Each byte knows where it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magi::assess {

struct Folded {
  std::string text;
  std::vector<std::uint32_t> origin;     // of each byte: offset in the source; one more for the end
  std::vector<std::uint32_t> invisible;  // offsets in the source of characters that nobody sees

  // The source bytes of text[begin, end).  Requires: begin < end.
  std::size_t source_begin(std::size_t begin) const { return origin[begin]; }
  std::size_t source_end(std::size_t end) const { return origin[end]; }
};

// A line break stays '\n'.  Characters of the tag block (U+E0020..), which show nothing, fold to the ASCII that they
// spell.  Linear.  Requires: less than 4 GiB.
Folded fold(std::string_view text);

}  // namespace magi::assess
