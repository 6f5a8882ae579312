#include "tools/magi-provider/chat_reader.h"

#include <algorithm>
#include <initializer_list>

#include "libcommon/json/writer.h"
#include "tools/magi-provider/chat_items.h"

namespace magi::provider {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

}  // namespace

// One choice with text and nothing else.
bool ChatReader::take_plain_delta(const json::Node& value) {
  RawText text;
  int choices = 0;
  for (const json::Node choice : value.find("choices").elements()) {
    if (++choices > 1) return false;
    for (const json::Node::Member member : choice.members()) {
      const bool harmless = member.value.is(json::Kind::kNull) || (member.is("index") && member.value.as_int() == 0);
      if (!harmless && !member.is("delta")) return false;
    }
    for (const json::Node::Member member : choice.find("delta").members()) {
      if (member.value.is(json::Kind::kNull) || member.is("role")) continue;
      if (!member.is("content") || !member.value.is(json::Kind::kString)) return false;
      text = member.value.raw_string();
    }
  }
  if (text.empty() || value.find("usage").is(json::Kind::kObject) || value.find("x_groq")) return false;
  add_delta(text);
  return true;
}

void ChatReader::on_value(const json::Node& value) {
  note_model(value.find("model"));
  if (take_plain_delta(value)) return;
  take_usage(value.find("usage"));
  take_usage(value.find("x_groq").find("usage"));
  for (const json::Node choice : value.find("choices").elements())
    if (choice.find("index").as_int().value_or(0) == 0) take_choice(choice);
}

void ChatReader::take_choice(const json::Node& choice) {
  take_usage(choice.find("usage"));
  const json::Node delta = choice.find("delta");
  if (delta.is(json::Kind::kObject)) take_delta(delta);
  // A whole message inside a stream; beside deltas it repeats them.
  else if (const json::Node message = choice.find("message"); message && !has_answer())
    take_delta(message);
  else
    out_.text(raw_member(choice, "text"));
  if (auto reason = choice.find("finish_reason").as_string(); reason && !reason->empty()) {
    finish_reason_ = *std::move(reason);
    winding_down_ = true;
  }
}

void ChatReader::take_delta(const json::Node& delta) {
  take_reasoning(delta);
  take_content(delta.find("content"));
  out_.text(raw_member(delta, "refusal"));
  for (const json::Node call : delta.find("tool_calls").elements()) take_call(call);
}

// A string, null, or a list of parts.
void ChatReader::take_content(const json::Node& content) {
  if (content.is(json::Kind::kString)) out_.text(content.raw_string());
  for (const json::Node part : content.elements()) {
    out_.text(raw_member(part, "text"));
    for (const json::Node thought : part.find("thinking").elements()) out_.reasoning(raw_member(thought, "text"));
  }
}

void ChatReader::take_reasoning(const json::Node& delta) {
  const RawText content = raw_member(delta, "reasoning_content");
  reasoning_ += content;
  out_.reasoning(content.empty() ? raw_member(delta, event::Reasoning::kType) : content);
}

void ChatReader::take_call(const json::Node& delta) {
  ChatCalls::Slot& slot = calls_.take(delta);
  if (!slot.call_id.empty() || slot.name.empty()) return;
  slot.call_id = claim_call_id(slot.id);
  progress(slot.call_id, slot.name);
}

void ChatReader::on_done_marker() {
  if (finish_reason_.empty() && !has_answer()) return fail_cut();
  finish();
}

// Without a finish reason the answer counts only where its calls are whole: text alone may have been cut anywhere.
void ChatReader::on_end() {
  if (!finish_reason_.empty() || (!calls_.empty() && calls_.all_complete())) finish();
}

void ChatReader::finish() {
  const std::string_view reason = finish_reason_;
  if (is_one_of(reason, {"insufficient_system_resource", "error", "network_error", "engine_overloaded"}))
    return fail(FailureKind::kServer, "the server ended the answer: " + one_line(reason));
  if (reason == "model_context_window_exceeded")
    return fail(FailureKind::kOverflow, "the conversation fills the model's context window");
  if (is_one_of(reason, {"content_filter", "safety", "recitation", "prohibited_content"}))
    return fail(FailureKind::kPolicy, "the provider's content filter ended the answer");
  hold_calls();
  if (is_one_of(reason, {"length", "max_tokens", "model_length"})) {
    distrust_last_call();
    return complete(stop::kMaxTokens);
  }
  complete(stop::kEndTurn);
}

void ChatReader::hold_calls() {
  if (calls_.empty()) return;
  // Models that think before they call want their thoughts back with the call.
  if (!reasoning_.empty()) out_.hold_item(context_.provider, assistant_fields_item(context_.origin, reasoning_));
  for (ChatCalls::Slot& slot : calls_.slots()) {
    if (slot.name.empty()) continue;
    if (!slot.extra.empty())
      out_.hold_item(context_.provider, call_fields_item(context_.origin, slot.call_id, slot.extra));
    finish_call(slot.call_id, slot.name, std::move(slot.arguments));
  }
}

void ChatReader::on_document(const json::Node& value) {
  if (!value.find("choices").is(json::Kind::kArray)) return;
  on_value(value);
  if (has_answer() || !finish_reason_.empty()) finish();
}

void ChatReader::take_usage(const json::Node& usage) {
  if (!usage.is(json::Kind::kObject)) return;
  event::Usage& slot = usage_slot();
  slot.input_tokens = tokens_of(usage.find("prompt_tokens")).value_or(0);
  slot.output_tokens = tokens_of(usage.find("completion_tokens")).value_or(0);
  slot.cached_tokens = tokens_of(usage.find("prompt_tokens_details").find("cached_tokens"));
  if (!slot.cached_tokens) slot.cached_tokens = tokens_of(usage.find("prompt_cache_hit_tokens"));
  slot.cache_write_tokens = tokens_of(usage.find("prompt_tokens_details").find("cache_write_tokens"));
  slot.reasoning_tokens = tokens_of(usage.find("completion_tokens_details").find("reasoning_tokens"));
  // Some servers count reasoning beside the output, as the sum tells.
  const std::int64_t reasoning = slot.reasoning_tokens.value_or(0);
  if (reasoning > 0 && tokens_of(usage.find("total_tokens")) == slot.input_tokens + slot.output_tokens + reasoning)
    slot.output_tokens += reasoning;
}

}  // namespace magi::provider
