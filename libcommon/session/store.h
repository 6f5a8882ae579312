// The sessions of a home as a list: for --continue, --resume and `sessions list`.  Reads, never writes, takes no lock,
// and reads a bounded part of each file only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/facts.h"
#include "libcommon/session/paths.h"

namespace magi::session {

struct SessionInfo {
  std::string id;
  SessionFacts facts;
  std::uint64_t length = 0;
  std::int64_t mtime_ms = 0;
  // What orders sessions: the newest provider-visible event, or the file time where no event has a valid time.
  std::int64_t order_ms = 0;
};

struct SessionList {
  std::vector<SessionInfo> sessions;  // newest first
  std::vector<Error> unreadable;      // files that were passed over, and why
};

// An empty list when the home or its sessions do not exist yet.  kUnsafe when the folder breaks requirement S5.
Result<SessionList> list_sessions(const Home& home, Family family = Family::kPrimary);

// kNotFound: "no session 'ID'".
Result<SessionInfo> find_session(const Home& home, std::string_view id, Family family = Family::kPrimary);

// What --continue takes (magi-session(5)): among eligible primary sessions of the working tree that `cwd` lies
// in, the one with the latest provider-visible event.
Result<std::optional<SessionInfo>> latest_eligible(const Home& home, const std::string& cwd);

}  // namespace magi::session
