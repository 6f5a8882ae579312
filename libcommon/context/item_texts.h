// The texts of an item, read back from its line, and how they are written as fields.  Private to libcommon/context.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/context/line_source.h"
#include "libcommon/context/replay_item.h"

namespace magi::context {

// Valid until the next fetch from the source.
class ItemTexts {
 public:
  // Error kIo: the bytes are not those that were indexed.
  static Result<ItemTexts> read(LineSource& source, const Item& item);

  bool has(std::size_t slot) const { return item_->slots[slot].present(); }
  // JSON text: of a string what stands between its quotes; empty where absent.
  std::string_view operator[](std::size_t slot) const {
    const Slice& slice = item_->slots[slot];
    return has(slot) ? bytes_.substr(slice.begin - first_, slice.size) : std::string_view();
  }
  // Appends the slot as the value of its field.
  void append_value(std::string& out, std::size_t slot, FieldShape shape) const;

 private:
  ItemTexts(const Item& item, std::string_view bytes, std::uint32_t first)
      : item_(&item), bytes_(bytes), first_(first) {}

  const Item* item_;
  std::string_view bytes_;
  std::uint32_t first_;
};

// Appends a string value; half a surrogate pair becomes U+FFFD.
void append_string(std::string& out, std::string_view raw);
inline void append_key(std::string& out, std::string_view name) { out.append(",\"").append(name).append("\":"); }
inline void begin_record(std::string& out, std::string_view type) {
  out.append("{\"type\":\"").append(type).append("\"");
}

// The record whose fields are all in the item's slots.
template <class Record>
void append_copied(std::string& out, const ItemTexts& texts) {
  begin_record(out, Record::kType);
  for_each_field<Record>([&](std::size_t slot, std::string_view field, FieldShape shape, bool is_required) {
    if (!texts.has(slot) || (!is_required && texts[slot].empty())) return;
    append_key(out, field);
    texts.append_value(out, slot, shape);
  });
  out += "}\n";
}

}  // namespace magi::context
