// The end of a session file that a crash may have torn.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::session {

// Bytes of the last line when it has no LF and is no whole event; 0 when the file ends well.  A line that is longer
// than lines may be counts as torn, by as much of it.
Result<std::uint64_t> torn_tail_bytes(int session_fd, std::uint64_t length, std::string_view path_for_errors);

}  // namespace magi::session
