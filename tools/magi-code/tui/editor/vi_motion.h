// Where vi's motions and text objects lead.  Pure functions of a text and a place in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/magi-code/tui/editor/prompt_text.h"

namespace magi::code::tui {

struct ViMotion {
  std::size_t to = 0;
  bool inclusive = false;  // the unit at the farther end belongs to it
  bool by_lines = false;
};

// h l w W b B e E 0 ^ $ { } %; `for_operator`: w stops at the end of its line.  Nothing: no such motion, or no way.
std::optional<ViMotion> vi_motion(const PromptText& text, std::size_t at, char motion, int count, bool for_operator);
// f F t T: to the `count`-th `wanted` in this line.
std::optional<ViMotion> vi_find(const PromptText& text, std::size_t at, char motion, const std::string& wanted,
                                int count);

struct ViRange {
  std::size_t begin = 0, end = 0;
};
// "i" or "a", then w " ' ` ( [ { <.
std::optional<ViRange> vi_object(const PromptText& text, std::size_t at, bool around, char object);

// The last place in its line where a cursor of normal mode may stand.
std::size_t vi_last_in_line(const PromptText& text, std::size_t at);
std::size_t vi_first_nonblank(const PromptText& text, std::size_t at);

}  // namespace magi::code::tui
