// The line above the prompt: what runs, for how long, what it used, and how full the context is (V2).  And the one
// below: where one is.
#pragma once

#include "tools/magi-code/tui/app/state.h"
#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui {

Line border_line(const State& state, int columns);
Line foot_line(const State& state, int columns);

// "999", "12.3k", "1.2M".
std::string brief_count(std::int64_t count);
// "8s", "2m 05s", "1h 02m".
std::string brief_time(std::int64_t ms);

}  // namespace magi::code::tui
