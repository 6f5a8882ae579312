// The rules of replay (magi-stream(7), requirements R1 to R8): which events of a session become records of the
// conversation, in which order, which results belong to which calls, what is historical, where a checkpoint cuts.
// Events go in one by one, in file order; what is kept is an index, not their text.  After each event the index stands
// for the whole conversation so far, so that a live one can be extended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/context/notices.h"
#include "libcommon/context/protection.h"
#include "libcommon/context/replay_item.h"
#include "libcommon/event/session_event.h"

namespace magi::context {

// Where the line of an event stands.  `text` is the line that the event's nodes point into.
struct LineRef {
  std::uint64_t offset = 0;
  std::uint64_t number = 0;
  std::string_view text;
};

// Whether a turn_status with this status is the turn's terminal record.
bool ends_turn(std::string_view status);

// The skill whose text the result with this payload is (`details.provenance`: `kind` "skill", `name`, optional `sha256`
// of the text); empty: none.
std::string skill_name(const json::Node& payload);

class ReplayIndex {
 public:
  // Error kBadRecord where the event is of a kind that is replayed and its payload cannot be used; it changes nothing.
  Result<void> add(const event::EventHead& event, const LineRef& line);

  // User, assistant, item, call, context and checkpoint in the order of the conversation.  Results stand behind the
  // last call of a group and are reached through the calls' links.
  const std::vector<Item>& items() const { return items_; }
  // Index behind the group that the call at `at` starts.  Requires: items()[at] is a call that starts a group.
  std::size_t group_end(std::size_t at) const;
  // The result of a call, or null.
  const Item* result_of(const Item& call) const { return call.link == kNone ? nullptr : &results_[call.link]; }
  // R10: the earlier result that shows the same text of a skill, or null.
  const Item* same_skill_as(const Item& result) const {
    return result.same_as == kNone ? nullptr : &results_[result.same_as];
  }
  const Assessment* assessment_of(const Item& result) const {
    return result.link == kNone ? nullptr : &assessments_[result.link];
  }
  // R4: the result of the call at `at` is of a turn that has ended or that a later user input follows.
  bool is_historical(std::size_t at) const;

  // Whether a call that a result with this payload would answer is known, or the protected result that an assessment
  // is of.
  bool has_open_call(const json::Node& payload) const;
  bool has_protected_result(const json::Node& payload) const;

  const std::string& session_id() const { return session_id_; }
  std::int64_t generation() const { return generation_.value_or(0); }
  // What was read before this index began was of that generation: checkpoints must exceed it.
  void begin_at_generation(std::int64_t generation) { generation_ = generation; }
  // The preferred provider and model, or those last used; empty where the session names none.
  const std::string& provider() const { return provider_; }
  const std::string& model() const { return model_; }

  // Lines for people: passed-over checkpoints, calls without results, results without calls, repeated calls.
  std::vector<std::string> notices() const;

  // Records from this item on may read differently since mark_clean().
  std::size_t dirty_from() const { return dirty_from_; }
  void mark_clean() { dirty_from_ = items_.size(); }
  // Grows with each checkpoint that replaced everything before it.
  std::uint32_t resets() const { return resets_; }

 private:
  struct StoredResult {
    std::uint32_t index;
    std::uint64_t line_number;
  };
  struct OpenCall {
    std::uint32_t item = 0, group = 0;  // group: the call that starts it
    std::uint64_t line_number = 0;
    bool answered_early = false;  // by a result that stood before it; a later one is preferred
    std::uint64_t result_line = 0;
  };
  struct Turn {
    bool ended = false;
    std::uint32_t first_group = kNone;       // item of its first call
    std::uint32_t first_long_group = kNone;  // the same of calls whose results may be too long once they are historical
  };
  struct Protected {
    std::uint32_t result;
    std::string call_id, session_id, enforcement;
    bool ambiguous = false;
  };
  struct UserMark {
    std::uint32_t item = 0;
    std::uint32_t turn = kNone;
  };

  Result<void> add_user(const event::EventHead& event, const LineRef& line);
  Result<void> add_assistant(const event::EventHead& event, const LineRef& line);
  Result<void> add_provider_item(const event::EventHead& event, const LineRef& line);
  Result<void> add_call(const event::EventHead& event, const LineRef& line);
  Result<void> add_result(const event::EventHead& event, const LineRef& line);
  Result<void> add_context(const event::EventHead& event, const LineRef& line, ItemKind kind);
  void add_assessment(const json::Node& payload);
  Result<void> end_turn(const event::EventHead& event, const LineRef& line);
  void add_checkpoint(const event::EventHead& event, const LineRef& line);
  void note_model(const json::Node& payload);

  void protect(Item& result, std::uint32_t index, const event::EventHead& event, const LineRef& line);
  void attach(OpenCall& call, StoredResult result);
  void note_skill(std::uint32_t index, const event::EventHead& event);
  std::uint32_t turn_of(const json::Node& payload);
  std::uint32_t push(Item item);
  void drop_everything();

  std::vector<Item> items_, results_;
  std::vector<Assessment> assessments_;
  std::vector<Turn> turns_;
  std::unordered_map<std::string, std::uint32_t> turn_numbers_;
  std::unordered_map<std::string, OpenCall> open_calls_;
  std::unordered_map<std::string, StoredResult> early_results_;
  std::unordered_map<std::string, Protected> protected_;
  std::unordered_map<std::string, std::uint32_t> skills_;  // by name and digest of what was shown: the first result
  std::unordered_set<std::string> inner_calls_;       // made by a running tool: neither they nor their results show
  std::unordered_set<std::size_t> answered_in_turn_;  // hashes of IDs: calls of the newest turn that have their result

  std::string last_turn_id_;
  std::uint32_t last_turn_ = kNone;
  std::uint32_t anonymous_turn_ = kNone;
  UserMark last_user_, other_user_;  // other_user_: the last one of another turn than last_user_'s
  bool group_open_ = false;
  std::uint32_t group_start_ = 0;
  std::size_t last_text_hash_ = 0;  // of the text of items_[last_text_item_]
  std::uint32_t last_text_item_ = kNone;
  std::uint32_t unsettled_from_ = kNone;  // first group with a long result that no later input follows
  std::size_t dirty_from_ = 0;
  std::uint32_t resets_ = 0;

  std::string session_id_, provider_, model_;
  bool has_preferences_ = false;
  std::optional<std::int64_t> generation_;
  Notice bad_checkpoints_{"passed over an invalid checkpoint"};
  Notice unanswered_{"calls without a result, answered as cancelled"};
  Notice orphans_{"results without a call, left out"};
  Notice repeated_{"repeated calls, left out"};
};

}  // namespace magi::context
