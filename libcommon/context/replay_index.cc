#include "libcommon/context/replay_index.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "libcommon/context/item_reader.h"
#include "libcommon/event/checkpoint.h"
#include "libcommon/event/names.h"

namespace magi::context {
namespace name = event::name;

bool ends_turn(std::string_view status) { return status == "completed" || status == "failed" || status == "cancelled"; }

Result<void> ReplayIndex::add(const event::EventHead& event, const LineRef& line) {
  if (session_id_.empty() && event.session_id) session_id_ = event.session_id.as_string().value_or("");
  const std::string_view type = event.event_type.raw_string();
  if (type == name::kToolResult) return add_result(event, line);
  if (type == name::kToolCall) return add_call(event, line);
  if (type == name::kAssistantOutput) return add_assistant(event, line);
  if (type == name::kUserInput) return add_user(event, line);
  if (type == name::kProviderResponseItem) return add_provider_item(event, line);
  if (type == name::kTurnStatus) return end_turn(event, line);
  if (type == name::kHookContextInjection) return add_context(event, line, ItemKind::kHookContext);
  if (type == name::kCodeModeContext) return add_context(event, line, ItemKind::kCodeModeContext);
  if (type == name::kSubdirInstructionLoad) return add_context(event, line, ItemKind::kInstructions);
  if (type == name::kToolResultAssessment)
    add_assessment(event.payload);
  else if (type == name::kCompaction)
    add_checkpoint(event, line);
  else if (type == name::kSessionUsage && !has_preferences_)
    note_model(event.payload);
  else if (type == name::kSessionPreferences)
    has_preferences_ = true, note_model(event.payload);
  return {};
}

Result<void> ReplayIndex::add_user(const event::EventHead& event, const LineRef& line) {
  MAGI_TRY(Item item, read_item<event::User>(ItemKind::kUser, event, line));
  set_slot(item, kExtraSlot, event.payload.find("reasoning_selection"), FieldShape::kValue, line);
  if (!event.payload.find("turn_id").is(json::Kind::kString)) {
    anonymous_turn_ = static_cast<std::uint32_t>(turns_.size());
    turns_.emplace_back();
  }
  item.turn = turn_of(event.payload);
  const std::uint32_t turn = item.turn, at = push(std::move(item));
  if (last_user_.turn != turn) other_user_ = last_user_;
  last_user_ = {at, turn};
  dirty_from_ = std::min<std::size_t>(dirty_from_, unsettled_from_);
  unsettled_from_ = turns_[turn].first_long_group;
  return {};
}

Result<void> ReplayIndex::add_assistant(const event::EventHead& event, const LineRef& line) {
  MAGI_TRY(Item item, read_item<event::Assistant>(ItemKind::kAssistant, event, line));
  item.turn = turn_of(event.payload);
  last_text_hash_ = std::hash<std::string_view>{}(event.payload.find("text").raw_string());
  last_text_item_ = push(std::move(item));
  return {};
}

Result<void> ReplayIndex::add_provider_item(const event::EventHead& event, const LineRef& line) {
  MAGI_TRY(Item item, read_item<event::ProviderItem>(ItemKind::kProviderItem, event, line));
  item.turn = turn_of(event.payload);
  push(std::move(item));
  return {};
}

Result<void> ReplayIndex::add_context(const event::EventHead& event, const LineRef& line, ItemKind kind) {
  const json::Node text = event.payload.find("text");
  if (!text.is(json::Kind::kString) || text.raw_string().empty()) return {};
  Item item = empty_item(kind, line);
  for_each_field<event::Context>([&](std::size_t slot, std::string_view field, FieldShape shape, bool) {
    if (field == "text") set_slot(item, slot, text, shape, line);
    if (field == "event_id") set_slot(item, slot, event.event_id, shape, line);
  });
  item.turn = turn_of(event.payload);
  push(std::move(item));
  return {};
}

Result<void> ReplayIndex::end_turn(const event::EventHead& event, const LineRef& line) {
  const json::Node status = event.payload.find("status");
  if (!status.is(json::Kind::kString)) return make_error(ErrorCode::kBadRecord, "a turn_status without a status");
  const std::uint32_t turn = turn_of(event.payload);
  const json::Node text = event.payload.find("partial_text");
  if (text.is(json::Kind::kString) && !text.raw_string().empty()) {
    const bool repeats = last_text_item_ + std::size_t{1} == items_.size() && items_.back().turn == turn &&
                         last_text_hash_ == std::hash<std::string_view>{}(text.raw_string());
    if (!repeats) {
      MAGI_TRY(Item item, read_item<event::Assistant>(ItemKind::kPartialText, event, line));
      item.turn = turn;
      push(std::move(item));
    }
  }
  if (ends_turn(status.raw_string())) {
    turns_[turn].ended = true;
    dirty_from_ = std::min<std::size_t>(dirty_from_, turns_[turn].first_long_group);
  }
  return {};
}

void ReplayIndex::add_checkpoint(const event::EventHead& event, const LineRef& line) {
  const auto generation = event::checkpoint_generation(event.payload, generation_);
  if (!generation) {
    bad_checkpoints_.add(line_place(line.number, generation.error().what));
    return;
  }
  drop_everything();
  generation_ = *generation;
  if (const json::Node carried = event.payload.find("carried").find("preferences")) {
    has_preferences_ = true;
    note_model(carried);
  }
  Item item = empty_item(ItemKind::kCheckpoint, line);
  set_slot(item, 0, event.payload.find("summary"), FieldShape::kString, line);
  set_slot(item, kExtraSlot, event.payload.find("execution_effects"), FieldShape::kValue, line);
  push(std::move(item));
}

void ReplayIndex::drop_everything() {
  items_.clear();
  results_.clear();
  assessments_.clear();
  turns_.clear();
  turn_numbers_.clear();
  open_calls_.clear();
  early_results_.clear();
  protected_.clear();
  skills_.clear();
  answered_in_turn_.clear();
  last_turn_id_.clear();
  last_turn_ = anonymous_turn_ = last_text_item_ = kNone;
  last_user_ = other_user_ = UserMark{};
  group_open_ = false;
  unsettled_from_ = kNone;
  dirty_from_ = 0;
  unanswered_.clear();
  orphans_.clear();
  repeated_.clear();
  ++resets_;
}

void ReplayIndex::note_model(const json::Node& payload) {
  if (auto provider = payload.find("provider").as_string()) provider_ = *std::move(provider);
  if (auto model = payload.find("model").as_string()) model_ = *std::move(model);
}

std::uint32_t ReplayIndex::turn_of(const json::Node& payload) {
  const json::Node id = payload.find("turn_id");
  const auto fresh = [&] { return turns_.emplace_back(), static_cast<std::uint32_t>(turns_.size() - 1); };
  if (!id.is(json::Kind::kString)) {
    if (anonymous_turn_ == kNone) anonymous_turn_ = fresh();
    return anonymous_turn_;
  }
  if (last_turn_ != kNone && id.raw_string() == last_turn_id_) return last_turn_;
  const auto [entry, is_new] = turn_numbers_.try_emplace(std::string(id.raw_string()), kNone);
  if (is_new) entry->second = fresh();
  last_turn_id_ = entry->first;
  answered_in_turn_.clear();
  return last_turn_ = entry->second;
}

std::uint32_t ReplayIndex::push(Item item) {
  const auto at = static_cast<std::uint32_t>(items_.size());
  if (item.kind != ItemKind::kToolCall) group_open_ = false;
  items_.push_back(std::move(item));
  dirty_from_ = std::min<std::size_t>(dirty_from_, at);
  return at;
}

std::vector<std::string> ReplayIndex::notices() const {
  std::vector<std::pair<std::uint64_t, std::string>> calls, results;
  for (const auto& [id, call] : open_calls_)
    if (!call.answered_early) calls.emplace_back(call.line_number, id);
  for (const auto& [id, result] : early_results_) results.emplace_back(result.line_number, id);
  Notice unanswered = unanswered_, orphans = orphans_;
  const auto fill = [](Notice& notice, std::vector<std::pair<std::uint64_t, std::string>>& found) {
    std::sort(found.begin(), found.end());
    for (const auto& [number, id] : found) notice.add(line_place(number, quoted(id)));
  };
  fill(unanswered, calls);
  fill(orphans, results);
  std::vector<std::string> lines;
  for (const Notice* notice :
       {&bad_checkpoints_, &repeated_, static_cast<const Notice*>(&unanswered), static_cast<const Notice*>(&orphans)})
    if (notice->count()) lines.push_back(notice->text());
  return lines;
}

}  // namespace magi::context
