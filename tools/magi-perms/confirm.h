// Asking the person at the terminal.
#pragma once

#include <string_view>

namespace magi::perms {

// True when stdin and stderr are terminals: someone can be asked.
bool can_ask();
// Puts the question to stderr and reads a line; true for "y" or "yes" alone.  Blocks.
bool confirm(std::string_view question);

}  // namespace magi::perms
