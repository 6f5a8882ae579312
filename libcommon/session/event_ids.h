// Event IDs: unique over all sessions of a home, never used twice (magi-session(5)).
//
// `sessions/event-id-sequence` holds the first unreserved number in decimal.  A process reserves 1,024 at a time: the
// higher number is on the disk before the first of them is used, so a crash leaves a gap and never a second use.  The
// number is overwritten in place while its length stays (at most 20 bytes of one sector: old digits, new digits, or
// new ones followed by old ones, none of them lower than before), else replaced as a whole file.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/os/safe_open.h"

namespace magi::session {

inline constexpr std::uint64_t kEventIdBlock = 1024;

class EventIds {
 public:
  // Folders of the primary sessions, also for child sessions; both must outlive this object.
  EventIds(const os::Dir& sessions, const os::Dir& locks) : sessions_(&sessions), locks_(&locks) {}

  // Lower-case hex.  Reserves (one sync, waiting at most 10 s for the lock) when the block is used up.
  // kBadRecord when the counter is corrupt: nothing may be written then.
  Result<std::string> next();

  // Makes sure that `count` can be had without reserving again.
  Result<void> reserve(std::uint64_t count);

 private:
  const os::Dir* sessions_;
  const os::Dir* locks_;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;  // first number that is not ours
};

}  // namespace magi::session
