// What replay keeps of a session line: where the texts that a stream record needs stand in it.  Nothing is copied until
// the record is written, and then the JSON text itself is, without decoding it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "libcommon/event/fields.h"

namespace magi::context {

// Bytes within a line; of a string, those between its quotes.  A value never begins a line, so 0 means "absent".
struct Slice {
  std::uint32_t begin = 0, size = 0;
  bool present() const { return begin != 0; }
};

// What a line becomes.
enum class ItemKind : std::uint8_t {
  kUser,
  kAssistant,    // from an assistant_output
  kPartialText,  // from the terminal record of a turn
  kProviderItem,
  kToolCall,
  kToolResult,
  kHookContext,
  kCodeModeContext,
  kInstructions,
  kCheckpoint,
};

inline constexpr std::uint32_t kNone = UINT32_MAX;
// Slot i holds field i of the stream record's field list; the last one holds what a kind needs besides: `user` the
// reasoning selection, `tool_result` the details, a checkpoint its effects.
inline constexpr std::size_t kSlots = 8;
inline constexpr std::size_t kExtraSlot = 7;

struct Item {
  std::uint64_t offset = 0;  // of the line in its source
  std::array<Slice, kSlots> slots{};
  std::uint32_t turn = 0;
  // kToolCall: index of its result.  kToolResult: index of its assessment.  Else kNone.
  std::uint32_t link = kNone;
  std::uint32_t same_as = kNone;  // kToolResult: the earlier result that shows the same text of a skill, whole
  ItemKind kind = ItemKind::kUser;
  std::uint8_t escaped_slots = 0;  // bit i: the string of slot i holds \uXXXX, which may be half a pair
  bool starts_group = false;       // kToolCall: not in the same group as the call before it
  bool enforced = false;           // kToolResult: protected, shown only as assessed
  bool always_bounded = false;     // kToolResult: its stored view may not be used, so its output is bounded at any age
};

// How a field of a stream record is taken from a line.
enum class FieldShape {
  kString,    // copied between quotes
  kValue,     // any JSON value, copied
  kComputed,  // not in the line
};

template <class T>
constexpr FieldShape shape_of() {
  if constexpr (std::is_same_v<T, std::string>)
    return FieldShape::kString;
  else if constexpr (std::is_same_v<T, event::Raw> || event::detail::is_vector<T>::value)
    return FieldShape::kValue;
  else
    return FieldShape::kComputed;
}

namespace detail {

template <class Visit>
struct FieldVisitor {
  Visit& visit;
  std::size_t slot = 0;
  template <class T>
  void required(std::string_view name, const T&) {
    visit(slot++, name, shape_of<T>(), true);
  }
  template <class T>
  void optional(std::string_view name, const T&) {
    visit(slot++, name, shape_of<T>(), false);
  }
};

}  // namespace detail

// Calls visit(slot, name, shape, is_required) for each field of a stream record, in the order of its field list.
template <class Record, class Visit>
void for_each_field(Visit visit) {
  static const Record kEmpty{};
  detail::FieldVisitor<Visit> visitor{visit};
  Record::fields(kEmpty, visitor);
}

// The slot of a field of a stream record.
template <class Record>
std::size_t slot_of(std::string_view field) {
  std::size_t found = kSlots;
  for_each_field<Record>([&](std::size_t slot, std::string_view name, FieldShape, bool) {
    if (name == field) found = slot;
  });
  return found;
}

}  // namespace magi::context
