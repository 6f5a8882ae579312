// Text on its way to a model: valid, visible, bounded, never cut inside a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/shown_text.h"

namespace magi::toolbox {

using magi::kViewCharacters;
using magi::shortened;
using magi::visible;

// The first `characters` of a line; what is left out is counted behind them.
void append_clipped(std::string& out, std::string_view line, std::size_t characters);

// Bytes at the end of `text` that begin a character without completing it.
std::size_t incomplete_end(std::string_view text);

// A file's name for a line of its own: line ends and other control characters are written as escapes.
std::string one_line(std::string_view name);

// "1 match", "3 matches": `plural` where the count is not 1.
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural);

// Keeps the head and the tail of what is appended, in memory bounded by both.
class HeadTail {
 public:
  HeadTail(std::size_t head_bytes, std::size_t tail_bytes) : head_limit_(head_bytes), tail_limit_(tail_bytes) {}

  void append(std::string_view bytes);
  // Head, a line that says how many bytes are missing where some are, tail.  No character is cut in half by that: its
  // bytes count as missing.  `omitted`, if given, is their number.
  std::string text(std::int64_t* omitted = nullptr) const;
  bool empty() const { return head_.empty(); }
  bool is_cut() const { return dropped_ > 0; }
  // From now on the head has at most this much; what it has more counts as missing.
  void limit_head(std::size_t head_bytes);
  void clear();

 private:
  std::size_t head_limit_, tail_limit_;
  std::string head_, tail_;
  std::uint64_t dropped_ = 0;
};

}  // namespace magi::toolbox
