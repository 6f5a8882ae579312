// Input that waits for the next boundary of a running turn (L3).  It is acknowledged as delivered only after its
// append.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/event/session_event.h"

namespace magi::code {

struct UserPrompt {
  std::string text;      // as typed
  std::string expanded;  // as sent, where it differs
  std::string origin;    // "user", "steering", "automatic_compaction"
  std::vector<event::Part> parts;
  std::string action_id;      // of the control action that brought it; empty: none
  bool tags_settled = false;  // `expanded` is what it is going to be
};

class SteeringQueue {
 public:
  void push(UserPrompt prompt) { queue_.push_back(std::move(prompt)); }
  bool empty() const { return queue_.empty(); }
  // What waits, oldest first; it goes on waiting.
  const std::deque<UserPrompt>& waiting() const { return queue_; }
  std::deque<UserPrompt>& waiting() { return queue_; }
  // All that waits, oldest first.
  std::deque<UserPrompt> take() { return std::exchange(queue_, {}); }
  // Takes back the input of one action; an empty ID takes the newest.  Nothing where it is not waiting.
  std::optional<UserPrompt> recall(std::string_view action_id) {
    for (auto entry = queue_.rbegin(); entry != queue_.rend(); ++entry) {
      if (!action_id.empty() && entry->action_id != action_id) continue;
      UserPrompt found = std::move(*entry);
      queue_.erase(std::next(entry).base());
      return found;
    }
    return std::nullopt;
  }
  // What was taken but could not be appended goes back to the front, in its order.
  void restore(std::deque<UserPrompt> prompts) {
    for (auto entry = prompts.rbegin(); entry != prompts.rend(); ++entry) queue_.push_front(std::move(*entry));
  }

 private:
  std::deque<UserPrompt> queue_;
};

}  // namespace magi::code
