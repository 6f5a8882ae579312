#include "tools/magi-provider/messages_reader.h"

#include "libcommon/json/writer.h"

namespace magi::provider {
namespace {

// The members of `object` with those named `replaced` left out; the writer stands inside an object.
void copy_members(json::Writer& out, const json::Node& object, std::string_view replaced) {
  for (const json::Node::Member member : object.members())
    if (!member.is(replaced)) out.key(member.key()).raw(member.value.raw());
}

}  // namespace

void MessagesReader::on_value(const json::Node& value) {
  const std::string_view type = raw_member(value, "type");
  const std::int64_t index = value.find("index").as_int().value_or(0);
  if (type == "content_block_delta") {
    on_block_delta(index, value.find("delta"));
  } else if (type == "content_block_start") {
    on_block_start(index, value.find("content_block"));
  } else if (type == "content_block_stop") {
    if (const auto at = blocks_.find(index); at != blocks_.end()) {
      finish_block(at->second);
      blocks_.erase(at);
    }
  } else if (type == "message_start") {
    on_message_start(value.find("message"));
  } else if (type == "message_delta") {
    on_message_delta(value);
  } else if (type == "message_stop") {
    finish_message();
  }
}

void MessagesReader::on_message_start(const json::Node& message) {
  note_model(message.find("model"));
  std::string id = message.find("id").as_string().value_or("");
  const bool restarted = !message_id_.empty() && id != message_id_;
  // A proxy that lost its upstream begins anew; what it had sent before is void.
  if (restarted && (out_.wrote_text() || out_.wrote_call()))
    return fail(FailureKind::kCut, "the server began its answer a second time");
  if (restarted) {
    blocks_.clear();
    out_.drop_held();
  }
  message_id_ = std::move(id);
  take_usage(message.find("usage"));
}

void MessagesReader::on_block_start(std::int64_t index, const json::Node& content) {
  if (!content.is(json::Kind::kObject)) return;
  const std::string_view type = raw_member(content, "type");
  Block& block = blocks_[index] = Block{};
  block.start = content.raw();
  if (type == "text") {
    out_.text(raw_member(content, "text"));
  } else if (type == "thinking") {
    block.kind = BlockKind::kThinking;
    block.body = raw_member(content, "thinking");
    block.signature = raw_member(content, "signature");
    out_.reasoning(block.body);
  } else if (type == "tool_use") {
    block.kind = BlockKind::kToolUse;
    block.call_id = claim_call_id(content.find("id").as_string().value_or(""));
    block.name = content.find("name").as_string().value_or("");
    progress(block.call_id, block.name);
  } else {
    block.kind = BlockKind::kOpaque;
  }
}

void MessagesReader::on_block_delta(std::int64_t index, const json::Node& delta) {
  const std::string_view type = raw_member(delta, "type");
  Block& block = blocks_[index];
  if (type == "text_delta") {
    add_delta(raw_member(delta, "text"));
  } else if (type == "input_json_delta") {
    block.body_is_input = true;
    block.body += raw_member(delta, "partial_json");
  } else if (type == "thinking_delta") {
    block.body += raw_member(delta, "thinking");
    out_.reasoning(raw_member(delta, "thinking"));
  } else if (type == "signature_delta") {
    block.signature += raw_member(delta, "signature");
  } else if (type == "compaction_delta") {
    block.body += raw_member(delta, "content");
  }
}

void MessagesReader::finish_block(Block& block) {
  switch (block.kind) {
    case BlockKind::kText: return;
    case BlockKind::kOpaque: return finish_opaque(block);
    case BlockKind::kThinking: {
      // Without its signature the API refuses it.
      if (block.signature.empty()) return;
      std::string item =
          R"({"type":"thinking","thinking":")" + block.body + R"(","signature":")" + block.signature + "\"}";
      return out_.hold_item(context_.provider, item);
    }
    case BlockKind::kToolUse: {
      if (block.body.empty()) {
        json::Parser parser;
        const auto start = parser.parse(block.start);
        if (const json::Node input = start ? start->find("input") : json::Node())
          block.body = raw_from_text(input.raw());
      }
      return finish_call(block.call_id, block.name, std::move(block.body));
    }
  }
}

void MessagesReader::finish_opaque(const Block& block) {
  if (block.body.empty()) return out_.hold_item(context_.provider, block.start);
  json::Parser parser;
  auto start = parser.parse(block.start);
  if (!start) return;
  std::string item;
  json::Writer out(item);
  const std::string_view replaced = block.body_is_input ? "input" : "content";
  out.begin_object();
  copy_members(out, *start, replaced);
  out.key(replaced);
  if (block.body_is_input) {
    std::string input;
    json::append_unescaped(input, block.body);
    json::Parser checker;
    if (!checker.parse(input)) return;
    out.raw(input);
  } else {
    out.raw("\"" + block.body + "\"");
  }
  out.end_object();
  out_.hold_item(context_.provider, item);
}

void MessagesReader::on_message_delta(const json::Node& value) {
  take_usage(value.find("usage"));
  const json::Node delta = value.find("delta");
  if (auto reason = delta.find("stop_reason").as_string()) {
    stop_reason_ = *std::move(reason);
    winding_down_ = true;
  }
  if (auto why = delta.find("stop_details").find("explanation").as_string()) refusal_ = *std::move(why);
}

void MessagesReader::finish_message() {
  for (auto& [index, block] : blocks_) finish_block(block);
  blocks_.clear();
  if (stop_reason_ == "refusal") return refuse();
  const bool window_full = stop_reason_ == "model_context_window_exceeded";
  if (window_full && !out_.wrote_text())
    return fail(FailureKind::kOverflow, "the conversation fills the model's context window");
  if (stop_reason_ == "max_tokens" || window_full) {
    distrust_last_call();
    return complete(stop::kMaxTokens);
  }
  complete(stop_reason_ == "pause_turn" || stop_reason_ == "compaction" ? stop::kPause : stop::kEndTurn);
}

void MessagesReader::refuse() {
  fail(FailureKind::kPolicy, "the model refused to answer" + (refusal_.empty() ? "" : ": " + one_line(refusal_)));
}

void MessagesReader::on_end() {
  if (!stop_reason_.empty()) finish_message();
}

void MessagesReader::on_document(const json::Node& value) {
  if (!value.find("content").is(json::Kind::kArray)) return;
  on_message_start(value);
  std::int64_t index = 0;
  for (const json::Node content : value.find("content").elements()) {
    on_block_start(index, content);
    finish_block(blocks_[index++]);
  }
  blocks_.clear();
  stop_reason_ = value.find("stop_reason").as_string().value_or("");
  finish_message();
}

// Counts are cumulative; a later one replaces an earlier one.  `input_tokens` leaves out what the cache served or took.
void MessagesReader::take_usage(const json::Node& usage) {
  if (!usage.is(json::Kind::kObject)) return;
  event::Usage& slot = usage_slot();
  if (const auto input = tokens_of(usage.find("input_tokens"))) fresh_input_ = *input;
  if (const auto read = tokens_of(usage.find("cache_read_input_tokens"))) slot.cached_tokens = read;
  if (const auto written = tokens_of(usage.find("cache_creation_input_tokens"))) slot.cache_write_tokens = written;
  if (const auto output = tokens_of(usage.find("output_tokens"))) slot.output_tokens = *output;
  if (const auto thinking = tokens_of(usage.find("output_tokens_details").find("thinking_tokens")))
    slot.reasoning_tokens = thinking;
  slot.input_tokens = fresh_input_ + slot.cached_tokens.value_or(0) + slot.cache_write_tokens.value_or(0);
}

}  // namespace magi::provider
