// Which child sessions a session file names.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::exporting {

// Calls `on_child` with each child ID, valid or not, that the first `length` bytes of an open session file name: in
// events of child sessions, and in what a checkpoint carries.  May name one twice.  Reads the file once.
Result<void> find_children(int session_fd, std::uint64_t length, const std::function<void(std::string_view)>& on_child);

}  // namespace magi::exporting
