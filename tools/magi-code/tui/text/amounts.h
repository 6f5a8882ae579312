// Amounts as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace magi::code::tui {

// "340 ms", "2.5 s", "3 min 20 s", "2 h 5 min"; a negative one counts as none.
std::string duration_text(std::int64_t duration_ms);
// "812", "12,345".
std::string grouped(std::int64_t count);

}  // namespace magi::code::tui
