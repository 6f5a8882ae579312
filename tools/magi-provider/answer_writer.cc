#include "tools/magi-provider/answer_writer.h"

#include <algorithm>

#include "libcommon/json/node.h"

namespace magi::provider {
namespace {

// The text as it stands in its source.
void append_raw(std::string& out, RawText text) {
  if (text.find('\\') != RawText::npos && json::has_lone_surrogate(text))
    json::append_without_lone_surrogates(out, text);
  else
    out.append(text);
}

void append_raw_member(std::string& out, std::string_view key, RawText text) {
  out.append(",\"").append(key).append("\":\"");
  append_raw(out, text);
  out += '"';
}

void append_quoted_member(std::string& out, std::string_view key, std::string_view text) {
  out.append(",\"").append(key).append("\":");
  json::append_quoted(out, text);
}

void begin_record(std::string& out, std::string_view type, std::string_view request_id) {
  out.append("{\"type\":\"").append(type) += '"';
  if (!request_id.empty()) append_quoted_member(out, "request_id", request_id);
}

}  // namespace

void AnswerWriter::string_record(std::string_view type, RawText text) {
  begin_record(out_, type, request_id_);
  append_raw_member(out_, "text", text);
  out_ += "}\n";
}

void AnswerWriter::raw_record(std::string_view type, std::string_view members) {
  begin_record(out_, type, request_id_);
  out_.append(members).append("}\n");
}

void AnswerWriter::text(RawText text) {
  if (text.empty()) return;
  release();
  // Long answers are made of thousands of these: what is the same in all of them is written once.
  if (text_head_.empty()) {
    begin_record(text_head_, event::Text::kType, request_id_);
    text_head_ += ",\"text\":\"";
  }
  out_ += text_head_;
  append_raw(out_, text);
  out_ += "\"}\n";
  accepted_ = wrote_text_ = true;
}

void AnswerWriter::reasoning(RawText text) {
  if (!text.empty()) string_record(event::Reasoning::kType, text);
}

void AnswerWriter::tool_progress(std::string_view call_id, std::string_view name) {
  record(event::ToolProgress{{}, std::string(call_id), std::string(name), {}});
  accepted_ = true;
}

void AnswerWriter::hold_call(FinishedCall call) { held_.push_back({true, std::move(call), {}}); }

void AnswerWriter::hold_item(std::string_view provider, std::string_view item_json) {
  event::ProviderItem item;
  item.provider = provider;
  json::append_compact(item.item.json, item_json);
  held_.push_back({false, {}, std::move(item)});
}

bool AnswerWriter::holds_call() const {
  return std::any_of(held_.begin(), held_.end(), [](const Held& held) { return held.is_call; });
}

FinishedCall AnswerWriter::take_last_call() {
  FinishedCall call = std::move(held_.back().call);
  held_.pop_back();
  return call;
}

void AnswerWriter::release() {
  for (Held& held : held_) {
    accepted_ = true;
    if (!held.is_call) {
      record(std::move(held.item));
      continue;
    }
    wrote_call_ = true;
    begin_record(out_, event::ToolCall::kType, request_id_);
    append_quoted_member(out_, "call_id", held.call.call_id);
    append_quoted_member(out_, "name", held.call.name);
    append_raw_member(out_, "arguments", held.call.arguments);
    out_ += "}\n";
  }
  held_.clear();
}

}  // namespace magi::provider
