#include "tools/magi-code/command/imported_events.h"

#include "libcommon/event/stream.h"

namespace magi::code {

using context::RecordKind;

ImportedEvents::ImportedEvents(session::Draft& draft, Source source, std::string timestamp, std::string cwd)
    : draft_(draft), source_(std::move(source)), timestamp_(std::move(timestamp)), cwd_(std::move(cwd)) {}

template <class Payload>
Result<void> ImportedEvents::store(Payload payload) {
  MAGI_CHECK(draft_.add(payload, timestamp_, cwd_));
  ++events_;
  return {};
}

Result<void> ImportedEvents::add(const context::StreamRecord& record) {
  switch (record.kind) {
    case RecordKind::kSummary: return add_summary(record.root);
    case RecordKind::kUser: return add_user(record.root);
    case RecordKind::kAssistant: return add_assistant(record.root);
    case RecordKind::kProviderItem: return add_provider_item(record.root);
    case RecordKind::kToolCall: return add_call(record.root);
    case RecordKind::kToolResult: return add_result(record.root);
    // Instructions and choices of the other program are not ours; the rest is framing.
    case RecordKind::kRequest:
    case RecordKind::kConversation:
    case RecordKind::kEvidence:
    case RecordKind::kContext:
    case RecordKind::kReasoningSelection:
    case RecordKind::kEnd:
    case RecordKind::kCancel: break;
  }
  return {};
}

Result<void> ImportedEvents::begin_turn(const std::string& turn_id) {
  if (!turn_id_.empty() && (turn_id.empty() || turn_id == turn_id_)) return {};
  MAGI_CHECK(end_turn());
  turn_id_ = turn_id.empty() ? "t" + std::to_string(turns_ + 1) : turn_id;
  ++turns_;
  return {};
}

Result<void> ImportedEvents::end_turn() {
  if (turn_id_.empty()) return {};
  event::TurnStatus status;
  status.turn_id = std::exchange(turn_id_, {});
  status.status = "completed";
  return store(std::move(status));
}

Result<void> ImportedEvents::finish() { return end_turn(); }

// The archive of such a checkpoint is the other program's file: it is named, not kept.
Result<void> ImportedEvents::add_summary(const json::Node& root) {
  MAGI_TRY(event::Summary summary, event::parse_record<event::Summary>(root));
  MAGI_CHECK(end_turn());
  event::Compaction checkpoint;
  checkpoint.summary = std::move(summary.text);
  checkpoint.generation = 1;
  checkpoint.trigger = "manual";
  checkpoint.archive = {"imported/" + source_.name, source_.sha256, source_.bytes};
  return store(std::move(checkpoint));
}

Result<void> ImportedEvents::add_user(const json::Node& root) {
  MAGI_TRY(event::User user, event::parse_record<event::User>(root));
  if (user.origin.empty() || user.origin == "user") MAGI_CHECK(end_turn());
  MAGI_CHECK(begin_turn(user.turn_id));
  event::UserInput input;
  input.turn_id = turn_id_;
  input.text = std::move(user.text);
  input.origin = std::move(user.origin);
  input.parts = std::move(user.parts);
  ++prompts_;
  return store(std::move(input));
}

Result<void> ImportedEvents::add_assistant(const json::Node& root) {
  MAGI_TRY(event::Assistant said, event::parse_record<event::Assistant>(root));
  MAGI_CHECK(begin_turn(said.turn_id));
  event::AssistantOutput output;
  output.turn_id = turn_id_;
  output.text = std::move(said.text);
  output.status = said.status.empty() ? "completed" : std::move(said.status);
  return store(std::move(output));
}

Result<void> ImportedEvents::add_provider_item(const json::Node& root) {
  MAGI_TRY(event::ProviderItem item, event::parse_record<event::ProviderItem>(root));
  MAGI_CHECK(begin_turn(""));
  event::ProviderResponseItem stored;
  stored.turn_id = turn_id_;
  stored.provider = std::move(item.provider);
  stored.item = std::move(item.item);
  return store(std::move(stored));
}

Result<void> ImportedEvents::add_call(const json::Node& root) {
  MAGI_TRY(event::ToolCall call, event::parse_record<event::ToolCall>(root));
  MAGI_CHECK(begin_turn(call.turn_id));
  event::ToolCallEvent stored;
  stored.turn_id = turn_id_;
  stored.call_id = std::move(call.call_id);
  stored.name = std::move(call.name);
  stored.arguments = std::move(call.arguments);
  return store(std::move(stored));
}

Result<void> ImportedEvents::add_result(const json::Node& root) {
  MAGI_TRY(event::ToolResult result, event::parse_record<event::ToolResult>(root));
  event::ToolResultEvent stored;
  stored.turn_id = turn_id_;
  stored.call_id = std::move(result.call_id);
  stored.result_id = result.result_id.empty() ? "r" + std::to_string(events_) : std::move(result.result_id);
  stored.status = result.status.empty() ? "success" : std::move(result.status);
  stored.output = std::move(result.output);
  stored.parts = std::move(result.parts);
  return store(std::move(stored));
}

}  // namespace magi::code
