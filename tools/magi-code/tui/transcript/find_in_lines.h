// Where a text stands in laid-out lines, also over the breaks that wrapping made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/transcript/laid_line.h"

namespace magi::code::tui {

struct MatchPiece {
  std::uint32_t match = 0;                     // counts matches of these lines
  std::uint32_t line = 0, begin = 0, end = 0;  // bytes of the line's text
};

class Needle {
 public:
  Needle() = default;
  // Small letters match both cases (ASCII); a blank any blanks and breaks.
  explicit Needle(std::string_view query);
  bool empty() const { return text_.empty(); }
  bool ignores_case() const { return ignores_case_; }
  // Whether a text may hold a match at all: cheap, by its longest word.
  bool may_be_in(std::string_view source) const;
  std::vector<MatchPiece> find(const LaidLines& lines) const;
  std::uint32_t count(const LaidLines& lines) const;

 private:
  std::string text_, word_;
  bool ignores_case_ = false;
};

}  // namespace magi::code::tui
