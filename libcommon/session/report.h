// All that is to be said about one session, for `sessions show`: its whole file is read once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/store.h"

namespace magi::session {

struct SessionReport {
  SessionInfo info;
  std::string path;
  std::map<std::string, std::int64_t> counts;  // events by type
  std::int64_t events = 0, skipped_lines = 0;
  bool torn_tail = false;
  bool busy = false;  // a process may append to it at this moment

  struct Prompt {
    std::string event_id, turn_id, timestamp, text;
  };
  std::vector<Prompt> prompts;  // as typed, in order; of what the newest checkpoint left

  // Observed, of all requests; those before a checkpoint as its `carried` says.
  std::int64_t requests = 0, input_tokens = 0, cached_tokens = 0, output_tokens = 0;
  struct Archive {
    std::string path;  // relative to the folder of the session
    std::int64_t bytes = 0;
    bool present = false;
  };
  std::vector<Archive> archives;      // that checkpoints in this file name
  std::vector<std::string> children;  // IDs
};

// kNotFound, kUnsafe.
Result<SessionReport> read_report(const Home& home, std::string_view id, Family family = Family::kPrimary);

// Calls `visit` with each prompt of the session, as typed, until it says false.  Reads the file up to there; a line
// that is no prompt is not parsed.
Result<void> each_prompt(const Home& home, std::string_view id,
                         const std::function<bool(const SessionReport::Prompt&)>& visit);

}  // namespace magi::session
