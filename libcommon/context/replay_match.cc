// The half of ReplayIndex that matches calls, results and assessments (R1, R8).
#include <algorithm>
#include <functional>

#include "libcommon/context/elision.h"
#include "libcommon/context/item_reader.h"
#include "libcommon/context/replay_index.h"
#include "libcommon/digest/sha256.h"

namespace magi::context {
namespace {

std::size_t hash_of(std::string_view id) { return std::hash<std::string_view>{}(id); }

// Whether its text could be over the limit of R4; an overlay may show the details, or marks in place of redacted text.
bool may_be_long(const Item& result) {
  const std::size_t output = result.slots[slot_of<event::ToolResult>("output")].size;
  return result.enforced || output > kLongOutputCharacters ||
         (output == 0 && result.slots[kExtraSlot].size > kLongOutputCharacters);
}

std::string text_of(const json::Node& object, std::string_view key) {
  const json::Node node = object.find(key);
  return node.is(json::Kind::kString) ? std::string(node.raw_string()) : std::string();
}

}  // namespace

std::string skill_name(const json::Node& payload) {
  const json::Node provenance = payload.find("details").find("provenance");
  return text_of(provenance, "kind") == "skill" ? text_of(provenance, "name") : std::string();
}

Result<void> ReplayIndex::add_call(const event::EventHead& event, const LineRef& line) {
  MAGI_TRY(Item item, read_item<event::ToolCall>(ItemKind::kToolCall, event, line));
  const std::string id = text_of(event.payload, "call_id");
  if (!text_of(event.payload, "parent_call_id").empty()) {
    inner_calls_.insert(id);
    return {};
  }
  const auto open = open_calls_.find(id);
  if (group_open_ && open != open_calls_.end() && open->second.item >= group_start_) {
    repeated_.add(line_place(line.number, quoted(id)));
    return {};
  }
  if (open != open_calls_.end() && !open->second.answered_early)
    unanswered_.add(line_place(open->second.line_number, quoted(id)));
  item.starts_group = !group_open_;
  item.turn = turn_of(event.payload);
  const std::uint32_t turn = item.turn, at = push(std::move(item));
  if (!group_open_) group_start_ = at;
  group_open_ = true;
  dirty_from_ = std::min<std::size_t>(dirty_from_, group_start_);
  turns_[turn].first_group = std::min(turns_[turn].first_group, group_start_);
  OpenCall& call = open_calls_[id] = OpenCall{at, group_start_, line.number};
  if (const auto early = early_results_.find(id);
      early != early_results_.end() && results_[early->second.index].turn == turn) {
    attach(call, early->second);
    early_results_.erase(early);
  }
  return {};
}

Result<void> ReplayIndex::add_result(const event::EventHead& event, const LineRef& line) {
  MAGI_TRY(Item item, read_item<event::ToolResult>(ItemKind::kToolResult, event, line));
  const std::string id = text_of(event.payload, "call_id");
  if (inner_calls_.erase(id)) return {};
  group_open_ = false;
  item.turn = turn_of(event.payload);
  set_slot(item, kExtraSlot, event.payload.find("details"), FieldShape::kValue, line);
  const auto index = static_cast<std::uint32_t>(results_.size());
  protect(item, index, event, line);
  results_.push_back(std::move(item));
  const StoredResult stored{index, line.number};
  if (const auto open = open_calls_.find(id); open != open_calls_.end()) {
    if (open->second.answered_early) orphans_.add(line_place(open->second.result_line, quoted(id)));
    attach(open->second, stored);
    note_skill(index, event);
    open_calls_.erase(open);
    answered_in_turn_.insert(hash_of(id));
  } else if (answered_in_turn_.count(hash_of(id))) {
    orphans_.add(line_place(line.number, quoted(id)));
  } else if (const auto [early, is_new] = early_results_.try_emplace(id, stored); !is_new) {
    orphans_.add(line_place(early->second.line_number, quoted(id)));
    early->second = stored;
  }
  return {};
}

void ReplayIndex::attach(OpenCall& call, StoredResult result) {
  items_[call.item].link = result.index;
  call.answered_early = true;
  call.result_line = result.line_number;
  const Item& item = results_[result.index];
  Turn& turn = turns_[item.turn];
  turn.first_group = std::min(turn.first_group, call.group);
  if (may_be_long(item)) {
    turn.first_long_group = std::min(turn.first_long_group, call.group);
    unsettled_from_ = std::min(unsettled_from_, call.group);
  }
  dirty_from_ = std::min<std::size_t>(dirty_from_, call.group);
}

// Only what stays in sight for ever may be referred to: text that is never shortened, of a result that nothing can
// withhold, behind its call.  The provenance must be of this very text.
void ReplayIndex::note_skill(std::uint32_t index, const event::EventHead& event) {
  const std::string name = skill_name(event.payload);
  Item& result = results_[index];
  const json::Node view = event.payload.find("view");
  const json::Node output = view.is(json::Kind::kString) ? view : event.payload.find("output");
  if (name.empty() || result.enforced || output.raw_string().size() > kLongOutputCharacters) return;
  std::string text;
  json::append_unescaped(text, output.raw_string());
  const std::string digest = sha256_hex(text);
  const json::Node said = event.payload.find("details").find("provenance").find("sha256");
  if (said && said.as_string() != digest) return;
  const auto [first, is_new] = skills_.try_emplace(digest + name, index);
  if (!is_new) result.same_as = first->second;
}

// Only a protection that says "observe" lets a result pass unassessed; one that cannot be read is enforced.
void ReplayIndex::protect(Item& result, std::uint32_t index, const event::EventHead& event, const LineRef& line) {
  const json::Node protection = event.payload.find("protection");
  if (!protection || protection.is(json::Kind::kNull)) return;
  const std::string enforcement = text_of(protection, "enforcement");
  if (enforcement == "observe") return;
  result.enforced = true;
  // The hash of an assessment covers `output`, so no other text of the result is shown.
  if (event.payload.find("view").is(json::Kind::kString)) {
    result.always_bounded = true;
    set_slot(result, slot_of<event::ToolResult>("output"), event.payload.find("output"), FieldShape::kString, line);
  }
  const std::string session = event.session_id ? std::string(event.session_id.raw_string()) : std::string();
  Protected entry{index, text_of(event.payload, "call_id"), session, enforcement, false};
  const auto [known, is_new] = protected_.try_emplace(text_of(event.payload, "result_id"), std::move(entry));
  if (is_new) return;
  Item& first = results_[known->second.result];
  known->second.ambiguous = true;
  first.link = kNone;
  dirty_from_ = std::min<std::size_t>(dirty_from_, turns_[first.turn].first_group);
}

void ReplayIndex::add_assessment(const json::Node& payload) {
  const auto found = protected_.find(text_of(payload, "result_id"));
  if (found == protected_.end()) return;
  const Protected& result = found->second;
  if (result.ambiguous || result.call_id != text_of(payload, "call_id") ||
      result.session_id != text_of(payload, "session_id") || result.enforcement != text_of(payload, "enforcement"))
    return;
  Assessment assessment = read_assessment(payload);
  Item& item = results_[result.result];
  dirty_from_ = std::min<std::size_t>(dirty_from_, turns_[item.turn].first_group);
  if (item.link == kNone) {
    item.link = static_cast<std::uint32_t>(assessments_.size());
    assessments_.push_back(std::move(assessment));
  } else if (!(assessments_[item.link] == assessment)) {
    assessments_[item.link] = Assessment{};  // two that differ: neither counts
  }
}

bool ReplayIndex::has_open_call(const json::Node& payload) const {
  const std::string id = text_of(payload, "call_id");
  return open_calls_.count(id) || inner_calls_.count(id);
}

bool ReplayIndex::has_protected_result(const json::Node& payload) const {
  return protected_.count(text_of(payload, "result_id"));
}

std::size_t ReplayIndex::group_end(std::size_t at) const {
  do ++at;
  while (at < items_.size() && items_[at].kind == ItemKind::kToolCall && !items_[at].starts_group);
  return at;
}

bool ReplayIndex::is_historical(std::size_t at) const {
  const Item* result = result_of(items_[at]);
  const std::uint32_t turn = result ? result->turn : items_[at].turn;
  if (turns_[turn].ended) return true;
  if (last_user_.turn == kNone) return false;
  const UserMark& later = last_user_.turn != turn ? last_user_ : other_user_;
  return later.turn != kNone && later.item > at;
}

}  // namespace magi::context
