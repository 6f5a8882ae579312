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

// A diagnostic of this category directly behind a bad line says that the line is what a killed writer left, and that it
// was reported: it is counted, and not named again.
inline constexpr std::string_view kTornTailCategory = "torn_tail";

struct SessionScan {
  event::ReadCounts read;
  std::vector<std::string> notices;  // for stderr: bad lines, a torn tail, what the index has to say
};

// Reads from where `fd` stands to its end, or to the event `until` (empty: none), which is left out with all behind it.
// Blocks.  Offsets in the index count from where reading began.  Error kNotFound: there is no such event.
Result<SessionScan> scan_session(int fd, std::string_view until, ReplayIndex& index);

}  // namespace magi::context
