// Puts tool calls together from the deltas of a chat completion.  The rules survive servers that leave out ids or
// indexes, repeat ids, names or whole arguments, reuse an index, or send arguments as an object.  Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "libcommon/json/node.h"

namespace magi::provider {

class ChatCalls {
 public:
  struct Slot {
    std::string id;  // as the server gave it; empty when it gave none
    std::string name;
    std::string arguments;  // RawText
    std::string extra;      // JSON of `extra_content`, which must be sent back with the call
    std::string call_id;    // for the caller: the id under which it announced the call
  };

  // One element of `tool_calls`.  The slot it belongs to; stays valid.
  Slot& take(const json::Node& delta);

  // In the order in which they began.
  std::deque<Slot>& slots() { return slots_; }
  bool empty() const { return slots_.empty(); }
  // Every call has a name and complete JSON arguments.
  bool all_complete();

 private:
  Slot& find_slot(const std::optional<std::int64_t>& index, const std::string& id, bool has_name);
  Slot& open(const std::optional<std::int64_t>& index);
  void add_arguments(Slot& slot, const json::Node& arguments);
  bool is_complete(const std::string& arguments);

  std::deque<Slot> slots_;
  std::map<std::int64_t, Slot*> by_index_;
  json::Parser parser_;
};

}  // namespace magi::provider
