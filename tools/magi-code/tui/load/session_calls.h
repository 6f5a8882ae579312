// The calls of a session with their outcomes, in one pass over its file: for the Activities and Session files panels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"

namespace magi::code::tui {

struct SessionCall {
  std::string call_id, parent_call_id, name;
  std::string intent;              // what the call says it is for: a description, a command
  std::vector<std::string> paths;  // that its arguments name
  std::string status;              // of its result; empty: there is none
  std::int64_t begun_ms = 0, ended_ms = 0;
};
struct SessionTurn {
  std::string turn_id, prompt, status;  // status empty: it has not ended
  std::int64_t begun_ms = 0, ended_ms = 0;
  std::vector<SessionCall> calls;
  struct Child {
    std::string id, status, summary;
    std::int64_t at_ms = 0;
  };
  std::vector<Child> children;
};

// Of what the newest compaction left.  None where there is no such session yet.  Blocks; long texts are cut.
Result<std::vector<SessionTurn>> read_turns(const session::Home& home, std::string_view session_id);

}  // namespace magi::code::tui
