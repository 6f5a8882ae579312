// From a session event to the slots of an Item.  Private to libcommon/context.
#pragma once

#include <string_view>
#include <utility>

#include "libcommon/base/result.h"
#include "libcommon/context/replay_index.h"
#include "libcommon/context/replay_item.h"
#include "libcommon/event/session_event.h"
#include "libcommon/event/stream.h"

namespace magi::context {

inline Item empty_item(ItemKind kind, const LineRef& line) {
  Item item;
  item.offset = line.offset;
  item.kind = kind;
  return item;
}

// Leaves the slot absent where the node is falsy, null or not of the shape.
void set_slot(Item& item, std::size_t slot, const json::Node& node, FieldShape shape, const LineRef& line);

// What the event holds for a field of its stream record; falsy where nothing.
json::Node source_of(std::string_view field, ItemKind kind, const event::EventHead& event);

Error missing_field(std::string_view type, std::string_view field);

// Error kBadRecord where a field that the record requires is missing or of another kind.
template <class Record>
Result<Item> read_item(ItemKind kind, const event::EventHead& event, const LineRef& line) {
  Item item = empty_item(kind, line);
  std::string_view missing;
  for_each_field<Record>([&](std::size_t slot, std::string_view field, FieldShape shape, bool is_required) {
    if (shape == FieldShape::kComputed) return;
    set_slot(item, slot, source_of(field, kind, event), shape, line);
    if (is_required && !item.slots[slot].present()) missing = field;
  });
  if (!missing.empty()) return missing_field(event.event_type.raw_string(), missing);
  return item;
}

}  // namespace magi::context
