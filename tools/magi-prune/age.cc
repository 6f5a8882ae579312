#include "tools/magi-prune/age.h"

#include <algorithm>

#include "libcommon/base/clock.h"
#include "libcommon/os/safe_open.h"
#include "libcommon/session/each_event.h"

namespace magi::prune {

Result<std::int64_t> last_used_ms(int session_fd) {
  std::int64_t newest = 0;
  const auto look = [&](const event::SessionEvent& event) {
    newest = std::max(newest, parse_rfc3339(event.envelope.timestamp).value_or(0));
    return true;
  };
  MAGI_TRY([[maybe_unused]] const session::UnreadLines unread, session::each_event(session_fd, {}, look));
  if (newest > 0) return newest;
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(session_fd, "a session"));
  return stamp.mtime_ns / 1'000'000;
}

}  // namespace magi::prune
