#include "libcommon/event/session_event.h"

namespace magi::event {

Result<SessionEvent> parse_session_event(const json::Node& root) {
  if (!root.is(json::Kind::kObject)) return make_error(ErrorCode::kBadRecord, "not an object");
  SessionEvent event;
  for (const json::Node::Member member : root.members()) {
    const auto text = [&](std::string& field) {
      if (auto value = member.value.as_string()) field = *std::move(value);
      else field.clear();
    };
    if (member.is("event_type")) text(event.event_type);
    else if (member.is("event_id")) text(event.envelope.event_id);
    else if (member.is("timestamp")) text(event.envelope.timestamp);
    else if (member.is("session_id")) text(event.envelope.session_id);
    else if (member.is("cwd")) text(event.envelope.cwd);
    else if (member.is("payload")) event.payload = member.value;
  }
  if (event.event_type.empty()) return make_error(ErrorCode::kBadRecord, "no event_type");
  if (event.envelope.event_id.empty()) return make_error(ErrorCode::kBadRecord, "no event_id");
  if (!event.payload.is(json::Kind::kObject)) return make_error(ErrorCode::kBadRecord, "no payload");
  return event;
}

bool is_valid_session_id(std::string_view id) {
  if (id.empty() || id.size() > 128) return false;
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (!alphanumeric(id.front())) return false;
  for (char c : id)
    if (!alphanumeric(c) && c != '_' && c != '-') return false;
  return true;
}

}  // namespace magi::event
