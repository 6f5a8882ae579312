// When a session was last used (requirement N2).
#pragma once

#include <cstdint>

#include "libcommon/base/result.h"

namespace magi::prune {

// The latest valid timestamp among all events of an open session file, whatever their order; the file's own time where
// there is none.  Milliseconds since 1970.  Reads the whole file; lines that are no events count for nothing.
Result<std::int64_t> last_used_ms(int session_fd);

}  // namespace magi::prune
