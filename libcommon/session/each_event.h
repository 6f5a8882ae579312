// Reading a session file event by event, where one pass in file order is all that is wanted (requirement S8: a bad line
// costs itself alone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"

namespace magi::session {

// Longer lines are bad lines.  16 MiB of tool output are at most 96 MiB of JSON.
inline constexpr std::size_t kMaxSessionLineBytes = 512u << 20;

struct EachEvent {
  std::size_t max_line_bytes = kMaxSessionLineBytes;
  std::uint64_t length = UINT64_MAX;  // lines that begin behind so many bytes are not read
  // False: the line is passed over unread, by its bytes alone.  Empty: all are read.
  std::function<bool(std::string_view line)> wanted = {};
};

struct UnreadLines {
  std::int64_t skipped = 0;  // whole lines that are no events
  bool torn = false;         // a last one without LF that is none
};

// Whole events to `visit`, from where `fd` stands, until it says false.  Blocks; memory: the longest line.
Result<UnreadLines> each_event(int fd, const EachEvent& options,
                               const std::function<bool(const event::SessionEvent&)>& visit);

}  // namespace magi::session
