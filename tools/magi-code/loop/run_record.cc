// What a run stores: answers, results and accounts as session events.
#include <utility>

#include "libcommon/session/mask.h"
#include "tools/magi-code/loop/control_tool.h"
#include "tools/magi-code/loop/run.h"

namespace magi::code {
// Text, items and calls in the order in which they came.  Storing masks; the answer becomes what was stored.
void Run::record_segments(Entries& entries, std::string_view status) {
  Answer stored;
  for (const Segment& segment : answer_.segments()) {
    if (const auto* text = std::get_if<TextSegment>(&segment)) {
      event::AssistantOutput output;
      output.turn_id = turn_id_;
      output.text = text->text;
      output.status = status;
      if (std::exchange(secret_was_cut_, false)) session::mask_cut_start(output.text);
      // What was cut may go on with the rest of a secret, in a continuation or never.
      if (status != "completed" && &segment == &answer_.segments().back())
        secret_was_cut_ = session::mask_cut_end(output.text);
      entries.add(output);
      stored.add_text(output.text);
    } else if (const auto* item = std::get_if<event::ProviderItem>(&segment)) {
      event::ProviderResponseItem output{turn_id_, item->provider, item->item};
      entries.add(output);
      stored.add(event::ProviderItem{{}, output.provider, output.item});
    } else {
      event::ToolCall call = std::get<event::ToolCall>(segment);
      event::ToolCallEvent output;
      output.turn_id = turn_id_;
      output.call_id = call.call_id;
      output.name = call.name;
      output.arguments = call.arguments;
      output.parent_call_id = call.parent_call_id;
      entries.add(output);
      call.arguments = output.arguments;
      stored.add(std::move(call));
    }
  }
  answer_ = std::move(stored);
}

// Usage and trace of the answer: local events that ride along with what must be stored anyway.
void Run::record_accounting(Entries& entries) {
  for (const event::Usage& counted : answer_usage_) {
    event::SessionUsage usage;
    usage.run_id = run_id_;
    usage.turn_id = turn_id_;
    usage.request_sequence = request_sequence_;
    usage.provider = settings_.preferences.provider;
    usage.model = provider_model_.empty() ? settings_.preferences.model : provider_model_;
    usage.input_tokens = counted.input_tokens;
    usage.output_tokens = counted.output_tokens;
    usage.cached_tokens = counted.cached_tokens.value_or(0);
    usage.cache_write_tokens = counted.cache_write_tokens.value_or(0);
    usage.reasoning_tokens = counted.reasoning_tokens.value_or(0);
    entries.add(usage);
  }
  if (!answer_trace_.attempts.empty()) {
    event::ProviderStreamTrace trace{run_id_, turn_id_, request_sequence_, answer_trace_.attempts,
                                     answer_trace_.response_identity};
    entries.add(trace);
  }
}

Result<void> Run::record_result(const event::ToolCall& call, const event::ToolAnswer& answer,
                                session::Durability durability) {
  event::ToolResultEvent stored;
  stored.turn_id = turn_id_;
  stored.call_id = answer.call_id;
  stored.result_id = answer.result_id.empty() ? new_result_id() : answer.result_id;
  stored.status = answer.status;
  stored.output = answer.output;
  stored.view = answer.view;
  stored.details = answer.details;
  stored.execution_effects = answer.effects;
  stored.parts = answer.parts;
  stored.masked_secrets = answer.masked_secrets;
  for (ToolGuard* const guard : parts_.guards) guard->before_store(call, stored);
  Entries entries;
  entries.add(stored);
  MAGI_TRY([[maybe_unused]] const auto ids, parts_.journal.append(std::move(entries), durability));
  stored_ = std::move(stored);
  return {};
}

// The call has run, and that must not be denied: where its output cannot be kept, that it ran and what it changed is.
void Run::record_unsaved_result(const event::ToolCall& call, const event::ToolAnswer& answer, const Error& why) {
  event::ToolAnswer kept;
  kept.call_id = answer.call_id;
  kept.result_id = answer.result_id;
  kept.status = answer.status;
  kept.output = "the call ran, but its output could not be saved: " + why.what;
  kept.effects = answer.effects;
  (void)record_result(call, kept, session::Durability::kRequired);
}

// Every call that was accepted has a result, also where the turn ends before it ran.
void Run::cancel_open_calls(Entries& entries) {
  for (std::size_t i = answered_calls_; i < calls_.size(); ++i) {
    event::ToolResultEvent stored;
    stored.turn_id = turn_id_;
    stored.call_id = calls_[i].call_id;
    stored.result_id = new_result_id();
    stored.status = "cancelled";
    stored.output = "not run: the turn ended first";
    stored.execution_effects.json = kNoEffects;
    entries.add(stored);
  }
  calls_.clear();
}

}  // namespace magi::code
