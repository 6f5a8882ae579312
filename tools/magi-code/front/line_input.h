// Standard input as lines delivered to the event loop.  A thread of its own reads, so that files, pipes and terminals
// work alike and no flag of a descriptor that other processes share is changed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/magi-code/stage/event_loop.h"

namespace magi::code {

// Calls `on_line` from the loop for each line without its LF, and with nothing at the end of input.  The thread lives
// until the end of input or of the process.  Requires: the loop outlives the process's use of stdin; called once.
void read_stdin_lines(EventLoop& loop, std::function<void(std::optional<std::string>)> on_line);

}  // namespace magi::code
