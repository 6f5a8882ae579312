// Standard input as lines delivered to the event loop.  A thread of its own reads, so that files, pipes and terminals
// work alike and no flag of a descriptor that other processes share is changed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/magi-code/stage/event_loop.h"

namespace magi::code {

// One line; its text is missing where it was longer than 16 MiB.
struct InputLine {
  std::optional<std::string> text;
};

// Reads from its construction on; nothing is delivered once it is destroyed, though the thread may still wait for input
// until the process ends.  At most 64 lines are read ahead of the loop.
class LineInput {
 public:
  // Calls `on_line` from the loop for each line without its LF, and with nothing at the end of input.
  LineInput(EventLoop& loop, std::function<void(const std::optional<InputLine>&)> on_line);
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

 private:
  struct Channel;
  std::shared_ptr<Channel> channel_;
};

}  // namespace magi::code
