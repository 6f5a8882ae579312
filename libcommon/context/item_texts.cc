#include "libcommon/context/item_texts.h"

#include <algorithm>

#include "libcommon/json/node.h"

namespace magi::context {
namespace {

// The byte before a text must open it and the one behind it end it.
bool is_framed(std::string_view bytes, std::size_t begin, std::size_t size) {
  constexpr std::string_view kBefore = "\":, \t\n\r", kBehind = "\",} \t\n\r";
  return kBefore.find(bytes[begin - 1]) != std::string_view::npos &&
         kBehind.find(bytes[begin + size]) != std::string_view::npos;
}

}  // namespace

Result<ItemTexts> ItemTexts::read(LineSource& source, const Item& item) {
  std::uint32_t first = UINT32_MAX, last = 0;
  for (const Slice& slice : item.slots) {
    if (!slice.present()) continue;
    first = std::min(first, slice.begin);
    last = std::max(last, slice.begin + slice.size);
  }
  if (last == 0) return make_error(ErrorCode::kInternal, "an item without texts");
  --first;
  MAGI_TRY(const std::string_view bytes, source.fetch(item.offset + first, last - first + 1));
  for (const Slice& slice : item.slots)
    if (slice.present() && !is_framed(bytes, slice.begin - first, slice.size))
      return make_error(ErrorCode::kIo, "the session was changed while it was read");
  return ItemTexts(item, bytes, first);
}

void ItemTexts::append_value(std::string& out, std::size_t slot, FieldShape shape) const {
  const std::string_view text = (*this)[slot];
  if (shape == FieldShape::kValue) return json::append_compact(out, text);
  if (item_->escaped_slots & 1u << slot) return append_string(out, text);
  out += '"';
  out += text;
  out += '"';
}

void append_string(std::string& out, std::string_view raw) {
  out += '"';
  if (json::has_lone_surrogate(raw))
    json::append_without_lone_surrogates(out, raw);
  else
    out += raw;
  out += '"';
}

}  // namespace magi::context
