#include "tools/magi-prune/age.h"

#include <algorithm>

#include "libcommon/base/clock.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/io.h"
#include "libcommon/os/safe_open.h"

namespace magi::prune {
namespace {

// Longer lines are bad lines (magi-session(5)).
constexpr std::size_t kMaxLineBytes = 512u << 20;

}  // namespace

Result<std::int64_t> last_used_ms(int session_fd) {
  os::LineReader lines(session_fd, kMaxLineBytes);
  json::Parser parser;
  std::int64_t newest = 0;
  for (;;) {
    const Result<std::optional<std::string_view>> line = lines.next();
    if (!line && line.error().code == ErrorCode::kLimit) continue;
    if (!line) return line.error();
    if (!*line) break;
    const Result<json::Node> root = parser.parse_padded(**line);
    const Result<event::SessionEvent> event = root ? event::parse_session_event(*root) : root.error();
    if (event) newest = std::max(newest, parse_rfc3339(event->envelope.timestamp).value_or(0));
  }
  if (newest > 0) return newest;
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(session_fd, "a session"));
  return stamp.mtime_ns / 1'000'000;
}

}  // namespace magi::prune
