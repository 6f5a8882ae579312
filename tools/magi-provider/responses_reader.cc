#include "tools/magi-provider/responses_reader.h"

namespace magi::provider {
namespace {

bool begins(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
bool ends(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// FNV-1a over all pieces, with their length.
void add_mark(std::size_t& bytes, std::uint64_t& mark, RawText text) {
  for (const char c : text) mark = (mark ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  bytes += text.size();
}

bool is_reasoning_type(std::string_view item_type) { return item_type == event::Reasoning::kType; }

// Calls for a client to answer that no tool of ours stands behind; kept, they would lack their output for ever.
bool is_foreign_call(const json::Node& item) {
  return item.find("call_id") && raw_member(item, "execution") != "server";
}

}  // namespace

void ResponsesReader::on_value(const json::Node& value) {
  const std::string_view type = raw_member(value, "type");
  const std::string_view event = begins(type, "response.") ? type.substr(9) : type;
  if (begins(event, "output_item."))
    on_item_event(event, value);
  else if (begins(event, "output_text.") || begins(event, "refusal."))
    on_text_event(event, value);
  else if (begins(event, "reasoning"))
    on_reasoning_event(event, value);
  else if (begins(event, "function_call_arguments."))
    on_arguments_event(event, value);
  else if (const json::Node response = value.find("response"))
    on_terminal(event, response);
}

ResponsesReader::Slot& ResponsesReader::slot_of(const json::Node& value, const json::Node& item) {
  if (const auto index = value.find("output_index").as_int()) return slots_[*index];
  std::string id(raw_member(item ? item : value, item ? "id" : "item_id"));
  const auto next = slots_.empty() ? 0 : slots_.rbegin()->first + 1;
  const auto [at, added] = index_of_id_.emplace(std::move(id), next);
  return slots_[at->second];
}

void ResponsesReader::on_item_event(std::string_view event, const json::Node& value) {
  const json::Node item = value.find("item");
  Slot& slot = slot_of(value, item);
  if (event == "output_item.added")
    announce(slot, item);
  else if (event == "output_item.done")
    take_item(slot, item);
}

void ResponsesReader::announce(Slot& slot, const json::Node& item) {
  if (raw_member(item, "type") != "function_call" || slot.announced) return;
  slot.is_call = slot.announced = true;
  slot.call_id = claim_call_id(item.find("call_id").as_string().value_or(""));
  slot.name = item.find("name").as_string().value_or("");
  progress(slot.call_id, slot.name);
}

void ResponsesReader::on_text_event(std::string_view event, const json::Node& value) {
  Slot& slot = slot_of(value, {});
  const bool refusal = begins(event, "refusal.");
  refused_ |= refusal;
  if (ends(event, ".delta")) {
    slot.text_seen = true;
    delta_slot_ = &slot;
    const RawText text = raw_member(value, "delta");
    add_mark(slot.text_bytes, slot.text_mark, text);
    add_delta(text);
  } else if (ends(event, ".done")) {
    finish_text(slot, raw_member(value, refusal ? "refusal" : "text"));
  }
}

void ResponsesReader::on_same_delta(RawText text) {
  add_mark(delta_slot_->text_bytes, delta_slot_->text_mark, text);
  out_.text(text);
}

// The whole text counts: where deltas were lost on the way, what is missing behind those that came is still said.
void ResponsesReader::finish_text(Slot& slot, RawText whole) {
  if (slot.text_seen && slot.text_bytes == 0) return;
  std::size_t bytes = 0;
  std::uint64_t mark = 0;
  add_mark(bytes, mark, whole.substr(0, slot.text_bytes));
  if (bytes == slot.text_bytes && mark == slot.text_mark) out_.text(whole.substr(bytes));
  slot.text_seen = true;
  slot.text_bytes = slot.text_mark = 0;
}

void ResponsesReader::on_reasoning_event(std::string_view event, const json::Node& value) {
  if (ends(event, ".delta"))
    out_.reasoning(raw_member(value, "delta"));
  else if (ends(event, "_part.added") && value.find("summary_index").as_int().value_or(0) > 0)
    out_.reasoning("\\n\\n");
}

void ResponsesReader::on_arguments_event(std::string_view event, const json::Node& value) {
  Slot& slot = slot_of(value, {});
  if (ends(event, ".delta"))
    slot.arguments += raw_member(value, "delta");
  else if (value.find("arguments").is(json::Kind::kString))
    slot.arguments = raw_member(value, "arguments");
  if (slot.name.empty()) slot.name = value.find("name").as_string().value_or("");
}

void ResponsesReader::take_item(Slot& slot, const json::Node& item) {
  if (slot.done) return;
  slot.done = true;
  const std::string_view type = raw_member(item, "type");
  if (type == "message") return take_message(slot, item);
  if (type == "function_call") return take_call(slot, item);
  // Nothing is stored on the server, so reasoning without its encrypted form cannot be sent back.
  if (is_reasoning_type(type) && raw_member(item, "encrypted_content").empty()) return;
  if (!type.empty() && !is_foreign_call(item)) out_.hold_item(context_.provider, item.raw());
}

void ResponsesReader::take_message(Slot& slot, const json::Node& item) {
  if (slot.text_seen) return;
  slot.text_seen = true;
  for (const json::Node part : item.find("content").elements()) {
    const std::string_view refusal = raw_member(part, "refusal");
    refused_ |= !refusal.empty();
    out_.text(refusal.empty() ? raw_member(part, "text") : refusal);
  }
}

void ResponsesReader::take_call(Slot& slot, const json::Node& item) {
  announce(slot, item);
  if (const json::Node arguments = item.find("arguments")) {
    if (arguments.is(json::Kind::kString)) slot.arguments = arguments.raw_string();
  }
  finish_call(slot.call_id, slot.name, slot.arguments);
  // Cut by the output limit: what there is may even be valid JSON.
  if (raw_member(item, "status") == "incomplete") distrust_last_call();
}

// Calls whose item never came whole: some proxies send the deltas only.
void ResponsesReader::finish_open_calls() {
  for (auto& [index, slot] : slots_) {
    if (!slot.is_call || slot.done) continue;
    slot.done = true;
    finish_call(slot.call_id, slot.name, slot.arguments);
  }
}

// The final response repeats its items; it is the only source where a server sent no item events.
void ResponsesReader::take_output(const json::Node& output) {
  for (const auto& [index, slot] : slots_)
    if (slot.done) return;
  std::int64_t index = 0;
  for (const json::Node item : output.elements()) take_item(slots_[index++], item);
}

void ResponsesReader::on_terminal(std::string_view event, const json::Node& response) {
  note_model(response.find("model"));
  if (event == "failed") return fail(classify_in_stream(read_error(response.find("error"))));
  const bool incomplete = event == "incomplete";
  if (!incomplete && event != "completed" && event != "done") return;
  take_usage(response.find("usage"));
  take_output(response.find("output"));
  finish_open_calls();
  if (!incomplete) return complete(refused_ ? stop::kRefusal : stop::kEndTurn);
  const std::string_view reason = raw_member(response.find("incomplete_details"), "reason");
  if (reason == "content_filter") return fail(FailureKind::kPolicy, "the provider's content filter ended the answer");
  // Some servers call the item whole that the limit has cut.
  distrust_last_call();
  complete(stop::kMaxTokens);
}

void ResponsesReader::on_document(const json::Node& value) {
  const json::Node response = value.find("response") ? value.find("response") : value;
  const std::string_view status = raw_member(response, "status");
  if (!response.find("output").is(json::Kind::kArray)) return;
  on_terminal(status.empty() ? std::string_view("completed") : status, response);
}

void ResponsesReader::take_usage(const json::Node& usage) {
  if (!usage.is(json::Kind::kObject)) return;
  event::Usage& slot = usage_slot();
  slot.input_tokens = tokens_of(usage.find("input_tokens")).value_or(0);
  slot.output_tokens = tokens_of(usage.find("output_tokens")).value_or(0);
  slot.cached_tokens = tokens_of(usage.find("input_tokens_details").find("cached_tokens"));
  slot.cache_write_tokens = tokens_of(usage.find("input_tokens_details").find("cache_write_tokens"));
  slot.reasoning_tokens = tokens_of(usage.find("output_tokens_details").find("reasoning_tokens"));
}

}  // namespace magi::provider
