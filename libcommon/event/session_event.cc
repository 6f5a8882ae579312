#include "libcommon/event/session_event.h"

namespace magi::event {
namespace {

bool is_text(const json::Node& node) { return node.is(json::Kind::kString) && !node.raw_string().empty(); }

}  // namespace

void append_session_line(std::string& out, const Envelope& envelope, std::string_view event_type,
                         std::string_view payload) {
  json::Writer writer(out);
  writer.begin_object().key("event_type").string(event_type);
  print_fields(writer, envelope);
  writer.key("payload").raw(payload).end_object();
  out += '\n';
}

Result<EventHead> parse_event_head(const json::Node& root) {
  if (!root.is(json::Kind::kObject)) return make_error(ErrorCode::kBadRecord, "not an object");
  EventHead head;
  for (const json::Node::Member member : root.members()) {
    if (member.is("event_type")) head.event_type = member.value;
    else if (member.is("event_id")) head.event_id = member.value;
    else if (member.is("session_id")) head.session_id = member.value;
    else if (member.is("payload")) head.payload = member.value;
  }
  if (!is_text(head.event_type)) return make_error(ErrorCode::kBadRecord, "no event_type");
  if (!is_text(head.event_id)) return make_error(ErrorCode::kBadRecord, "no event_id");
  if (!head.payload.is(json::Kind::kObject)) return make_error(ErrorCode::kBadRecord, "no payload");
  if (!is_text(head.session_id)) head.session_id = json::Node();
  return head;
}

Result<SessionEvent> parse_session_event(const json::Node& root) {
  MAGI_TRY(const EventHead head, parse_event_head(root));
  const auto text = [&](std::string_view key) { return root.find(key).as_string().value_or(""); };
  SessionEvent event;
  event.event_type = *head.event_type.as_string();
  event.envelope = {*head.event_id.as_string(), text("timestamp"), text("session_id"), text("cwd")};
  event.payload = head.payload;
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
