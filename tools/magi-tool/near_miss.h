// Where a text that was not found most likely was meant to be: a few lines for whoever must try again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace magi::toolbox {

// Lines without their LF.
std::vector<std::string_view> lines_of(std::string_view text);

// The stretch of `content` that is most like the lines of `text`, with its line numbers and a short difference ('-'
// what was looked for, '+' what is there).  `near`: of several equal ones the nearest to this line, from 1; 0: the
// first. Time is linear in the content.
std::string near_miss(std::string_view content, std::string_view text, std::size_t near = 0);

}  // namespace magi::toolbox
