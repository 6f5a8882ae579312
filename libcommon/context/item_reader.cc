#include "libcommon/context/item_reader.h"

namespace magi::context {
namespace {

// Parts are copied as they are, so each must be one that the readers of the stream accept.
bool are_parts(const json::Node& node) {
  if (!node.is(json::Kind::kArray) || !(node.elements().begin() != node.elements().end())) return false;
  for (const json::Node element : node.elements()) {
    event::Part part;
    if (!element.is(json::Kind::kObject) || !event::parse_fields(element, part)) return false;
  }
  return true;
}

bool is_text(const json::Node& node) { return node.is(json::Kind::kString) && !node.raw_string().empty(); }

}  // namespace

void set_slot(Item& item, std::size_t slot, const json::Node& node, FieldShape shape, const LineRef& line) {
  item.slots[slot] = {};
  item.escaped_slots = static_cast<std::uint8_t>(item.escaped_slots & ~(1u << slot));
  if (!node || node.is(json::Kind::kNull)) return;
  if (shape == FieldShape::kString && !node.is(json::Kind::kString)) return;
  const std::string_view text = shape == FieldShape::kString ? node.raw_string() : node.raw();
  if (shape == FieldShape::kString && node.has_unicode_escape())
    item.escaped_slots = static_cast<std::uint8_t>(item.escaped_slots | 1u << slot);
  item.slots[slot] = {static_cast<std::uint32_t>(text.data() - line.text.data()),
                      static_cast<std::uint32_t>(text.size())};
}

json::Node source_of(std::string_view field, ItemKind kind, const event::EventHead& event) {
  const json::Node& payload = event.payload;
  if (field == "event_id") return event.event_id;
  if (field == "parts") {
    const json::Node parts = payload.find(field);
    return are_parts(parts) ? parts : json::Node();
  }
  if (field == "text" && kind == ItemKind::kPartialText) return payload.find("partial_text");
  if (field == "text" && kind == ItemKind::kUser) {
    const json::Node expanded = payload.find("expanded_text");
    if (is_text(expanded)) return expanded;
  }
  if (field == "output") {
    const json::Node view = payload.find("view");
    if (view.is(json::Kind::kString)) return view;
  }
  // Fields of these records in other streams, which a session's payload has no say in.
  if (field == "request_id" || field == "parent_call_id" || field == "observed" || field == "withheld") return {};
  return payload.find(field);
}

Error missing_field(std::string_view type, std::string_view field) {
  return make_error(ErrorCode::kBadRecord, "a ", type, " without a usable ", field);
}

}  // namespace magi::context
