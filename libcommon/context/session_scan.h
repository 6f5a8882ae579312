// The first pass over a session file: every line validated and counted, what is replayed put into the index (S8: a bad
// line costs itself alone).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/context/replay_index.h"
#include "libcommon/event/stream.h"

namespace magi::context {

// Longer lines are bad lines.  16 MiB of tool output are at most 96 MiB of JSON.
inline constexpr std::size_t kMaxSessionLineBytes = 512u << 20;

struct SessionScan {
  event::ReadCounts read;
  std::vector<std::string> notices;  // for stderr: bad lines, a torn tail, what the index has to say
};

// Reads from where `fd` stands to its end, or to the event `until` (empty: none), which is left out with all behind it.
// Blocks.  Offsets in the index count from where reading began.  Error kNotFound: there is no such event.
Result<SessionScan> scan_session(int fd, std::string_view until, ReplayIndex& index);

}  // namespace magi::context
