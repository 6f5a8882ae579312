#include "tools/magi-export/references.h"

#include <unistd.h>

#include "libcommon/event/session_event.h"
#include "libcommon/os/io.h"

namespace magi::exporting {
namespace {

// Longer lines are bad lines (magi-session(5)).
constexpr std::size_t kMaxLineBytes = 512u << 20;

void name_child(const json::Node& node, const std::function<void(std::string_view)>& on_child) {
  const auto own = node.as_string();
  const auto id = own ? own : node.find("child_id").as_string();
  if (id) on_child(*id);
}

void look_at_line(json::Parser& parser, std::string_view line, const std::function<void(std::string_view)>& on_child) {
  // Most lines are told from their bytes alone.
  if (line.find("\"subagent_session\"") == std::string_view::npos && line.find("\"carried\"") == std::string_view::npos)
    return;
  const auto root = parser.parse_padded(line);
  if (!root) return;
  const auto event = event::parse_session_event(*root);
  if (!event) return;
  if (event->event_type == event::name::kSubagentSession) name_child(event->payload, on_child);
  if (event->event_type == event::name::kCompaction)
    for (const json::Node child : event->payload.find("carried").find("children").elements())
      name_child(child, on_child);
}

}  // namespace

Result<void> find_children(int session_fd, std::uint64_t length,
                           const std::function<void(std::string_view)>& on_child) {
  if (::lseek(session_fd, 0, SEEK_SET) < 0) return errno_error("cannot read a session", errno);
  os::LineReader lines(session_fd, kMaxLineBytes);
  json::Parser parser;
  for (;;) {
    const auto line = lines.next();
    if (!line && line.error().code == ErrorCode::kLimit) continue;
    if (!line) return line.error();
    if (!*line || lines.offset() >= length) return {};
    look_at_line(parser, **line, on_child);
  }
}

}  // namespace magi::exporting
