// magi-replay --from: the session files of other agents as sessions of ours.  What is told: prompts, texts, calls with
// their results, images, and summaries that replaced what stood before them; of a file with branches, the one that its
// last record is on.  What is not: the other program's own instructions and commands, side conversations, and
// reasoning, which is opaque and bound to an account.
#pragma once

#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/event/stream.h"
#include "tools/magi-replay/session_input.h"

namespace magi::replay {

enum class ForeignFormat { kCodex, kClaude, kPi };

struct ForeignSession {
  SessionInput session;    // our events, in a file without a name
  event::ReadCounts read;  // lines of the foreign file
  std::vector<std::string> notices;
};

// `folder`: for temporary files.  Error kBadRecord: no line is a record of that program.
Result<ForeignSession> read_foreign(const SessionInput& file, ForeignFormat format, const std::string& folder);

}  // namespace magi::replay
