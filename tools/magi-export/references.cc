#include "tools/magi-export/references.h"

#include <unistd.h>

#include "libcommon/session/each_event.h"

namespace magi::exporting {
namespace {

void name_child(const json::Node& node, const std::function<void(std::string_view)>& on_child) {
  const auto own = node.as_string();
  const auto id = own ? own : node.find("child_id").as_string();
  if (id) on_child(*id);
}

bool may_name_children(std::string_view line) {
  return line.find("\"subagent_session\"") != std::string_view::npos ||
         line.find("\"carried\"") != std::string_view::npos;
}

}  // namespace

Result<void> find_children(int session_fd, std::uint64_t length,
                           const std::function<void(std::string_view)>& on_child) {
  if (::lseek(session_fd, 0, SEEK_SET) < 0) return errno_error("cannot read a session", errno);
  session::EachEvent options;
  options.length = length;
  options.wanted = &may_name_children;
  const auto look = [&](const event::SessionEvent& event) {
    if (event.event_type == event::name::kSubagentSession) name_child(event.payload, on_child);
    if (event.event_type == event::name::kCompaction)
      for (const json::Node child : event.payload.find("carried").find("children").elements())
        name_child(child, on_child);
    return true;
  };
  MAGI_TRY([[maybe_unused]] const session::UnreadLines unread, session::each_event(session_fd, options, look));
  return {};
}

}  // namespace magi::exporting
