// A child whose output is read as it comes: for `!command` and for tools of ours that are run beside the conversation.
// Blocks; call it from a worker.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "libcommon/os/child.h"

namespace magi::code::tui {

struct ChildEnd {
  int exit_code = 0;
  bool stopped = false;  // by `stop`
};

// Runs `options` with both output streams on one pipe and an empty input, in a group of its own, until it has ended or
// `stop` is set: the group is then asked to end, and killed where it does not.  What goes on in the background and
// keeps the pipe is not waited for.
Result<ChildEnd> run_child(os::SpawnOptions options, const std::atomic<bool>& stop,
                           const std::function<void(std::string_view)>& on_output);

}  // namespace magi::code::tui
