#include "libcommon/session/each_event.h"

#include "libcommon/os/io.h"

namespace magi::session {

Result<UnreadLines> each_event(int fd, const EachEvent& options,
                               const std::function<bool(const event::SessionEvent&)>& visit) {
  static_assert(os::kLinePadding >= json::kPadding);
  os::LineReader lines(fd, options.max_line_bytes);
  json::Parser parser;
  UnreadLines unread;
  while (true) {
    const auto line = lines.next();
    if (!line && line.error().code != ErrorCode::kLimit) return line.error();
    if (line && (!*line || lines.offset() >= options.length)) return unread;
    if (line && options.wanted && !options.wanted(**line)) continue;
    const auto root = line ? parser.parse_padded(**line) : Result<json::Node>(line.error());
    const auto event = root ? event::parse_session_event(*root) : Result<event::SessionEvent>(root.error());
    if (event && !visit(*event)) return unread;
    if (event) continue;
    if (lines.last_was_torn())
      unread.torn = true;
    else
      ++unread.skipped;
  }
}

}  // namespace magi::session
