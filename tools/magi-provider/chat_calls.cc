#include "tools/magi-provider/chat_calls.h"

#include <algorithm>

#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {

ChatCalls::Slot& ChatCalls::take(const json::Node& delta) {
  const json::Node function = delta.find("function") ? delta.find("function") : delta;
  const std::string id = delta.find("id").as_string().value_or("");
  const std::string name = function.find("name").as_string().value_or("");
  Slot& slot = find_slot(delta.find("index").as_int(), id, !name.empty());
  if (slot.id.empty()) slot.id = id;
  if (slot.name.empty()) slot.name = name;
  add_arguments(slot, function.find("arguments"));
  if (const json::Node extra = delta.find("extra_content"); extra.is(json::Kind::kObject)) slot.extra = extra.raw();
  return slot;
}

ChatCalls::Slot& ChatCalls::find_slot(const std::optional<std::int64_t>& index, const std::string& id, bool has_name) {
  const auto at = index ? by_index_.find(*index) : by_index_.end();
  Slot* const indexed = at == by_index_.end() ? nullptr : at->second;
  if (!id.empty()) {
    const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.id == id; });
    if (known != slots_.end()) return *known;
    // Another id with a name of its own is another call, whatever its index says.
    if (indexed && !(has_name && !indexed->id.empty())) return *indexed;
    return open(index);
  }
  if (index) {
    if (indexed) return *indexed;
    return has_name || slots_.empty() ? open(index) : slots_.back();
  }
  if (slots_.empty()) return open(index);
  Slot& last = slots_.back();
  return has_name && !last.name.empty() && is_complete(last.arguments) ? open(index) : last;
}

ChatCalls::Slot& ChatCalls::open(const std::optional<std::int64_t>& index) {
  Slot& slot = slots_.emplace_back();
  if (index) by_index_[*index] = &slot;
  return slot;
}

void ChatCalls::add_arguments(Slot& slot, const json::Node& arguments) {
  if (arguments.is(json::Kind::kObject) || arguments.is(json::Kind::kArray)) {
    slot.arguments = raw_from_text(arguments.raw());
  } else if (arguments.is(json::Kind::kString)) {
    const std::string_view piece = arguments.raw_string();
    // Some servers repeat the whole in a last chunk.
    const bool repeated = piece.size() > 1 && piece == slot.arguments && is_complete(slot.arguments);
    if (!repeated) slot.arguments += piece;
  }
}

bool ChatCalls::is_complete(const std::string& arguments) {
  std::string text;
  json::append_unescaped(text, arguments);
  return parser_.parse(text).has_value();
}

bool ChatCalls::all_complete() {
  return std::all_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return !slot.name.empty() && (slot.arguments.empty() || is_complete(slot.arguments));
  });
}

}  // namespace magi::provider
