// What a program prints, within bounds of bytes and time.  Blocks.
#pragma once

#include <cstddef>
#include <string>

#include "libcommon/os/child.h"

namespace magi::code::tui {

struct ChildText {
  int status = 0;    // as a shell says it
  std::string text;  // of standard output
  bool cut = false;  // there was more
};

// Runs it with no input, its error output dropped, in a process group of its own.  kLimit: it did not end within
// `timeout_ms`, and is killed with all of its group.
Result<ChildText> text_of_child(os::SpawnOptions options, std::size_t max_bytes, int timeout_ms);

}  // namespace magi::code::tui
