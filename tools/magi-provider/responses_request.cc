#include "tools/magi-provider/responses_request.h"

#include "libcommon/json/writer.h"

namespace magi::provider {
namespace {

void append_parts(std::string& out, RawText text, const std::vector<Image>& images) {
  bool first = true;
  const auto begin = [&](std::string_view start) -> std::string& {
    if (!std::exchange(first, false)) out += ',';
    return out.append(start);
  };
  if (!text.empty()) begin(R"({"type":"input_text","text":")").append(text).append("\"}");
  for (const Image& image : images) {
    if (image.base64.empty()) {
      json::append_quoted(begin(R"({"type":"input_text","text":)"), image.absence);
      out += '}';
    } else {
      begin(R"({"type":"input_image","image_url":"data:)").append(image.media_type).append(";base64,");
      out.append(image.base64).append("\"}");
    }
  }
}

// These models have no reasoning to encrypt, and refuse to be asked for it.
bool reasons(std::string_view model) {
  for (const std::string_view plain : {"gpt-4", "gpt-3.5", "chatgpt-4o"})
    if (model.substr(0, plain.size()) == plain) return false;
  return true;
}

}  // namespace

std::string& ResponsesRequest::begin_item() {
  std::string& out = body_.out();
  if (std::exchange(any_item_, true)) out += ',';
  return out;
}

void ResponsesRequest::on_user(RawText text, std::vector<Image> images) {
  std::string& out = begin_item().append(R"({"type":"message","role":"user","content":[)");
  append_parts(out, text, images);
  out += "]}";
}

void ResponsesRequest::on_assistant(RawText text) {
  begin_item()
      .append(R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":")")
      .append(text)
      .append(R"(","annotations":[]}]})");
}

void ResponsesRequest::on_call(const Call& call) {
  begin_item()
      .append(R"({"type":"function_call","call_id":")")
      .append(call.id)
      .append(R"(","name":")")
      .append(call.name)
      .append(R"(","arguments":")")
      .append(call.raw)
      .append("\"}");
}

void ResponsesRequest::on_result(const ToolOutput& result) {
  std::string& out = begin_item().append(R"({"type":"function_call_output","call_id":")").append(result.id);
  if (result.images.empty()) {
    out.append(R"(","output":")").append(result.text).append("\"}");
    return;
  }
  out.append(R"(","output":[)");
  append_parts(out, result.text, result.images);
  out += "]}";
}

void ResponsesRequest::on_item(const json::Node& item) { begin_item().append(item.raw()); }

bool ResponsesRequest::is_reasoning(const json::Node& item) const {
  return raw_member(item, "type") == event::Reasoning::kType;
}

void ResponsesRequest::write_head(std::string& out, std::string_view model) {
  json::Writer head(out);
  head.begin_object().key("model").string(model);
  if (!request().instructions.empty()) head.key("instructions").string(request().instructions);
  if (!tools().empty()) {
    head.key("tools").begin_array();
    for (const Tool& tool : tools()) {
      head.begin_object().key("type").string("function").key("name").string(tool.name);
      head.key("description").string(tool.description).key("parameters").raw(tool.schema);
      // Left out, it means that the server tries the strict subset of JSON Schema.
      head.key("strict").boolean(false).end_object();
    }
    head.end_array();
    if (const json::Node choice = parameter("tool_choice")) head.key("tool_choice").raw(choice.raw());
  }
  if (const json::Node limit = parameter("max_output_tokens")) head.key("max_output_tokens").raw(limit.raw());
  if (const json::Node value = parameter("temperature")) head.key("temperature").raw(value.raw());
  if (const json::Node text = parameter("text")) head.key("text").raw(text.raw());
  const json::Node summary = parameter("reasoning").find("summary");
  if (const std::string effort = reasoning_effort(); !effort.empty() || summary) {
    head.key("reasoning").begin_object();
    if (!effort.empty()) head.key("effort").string(effort);
    if (summary) head.key("summary").raw(summary.raw());
    head.end_object();
  }
  if (const std::string session = session_id(); !session.empty()) head.key("prompt_cache_key").string(session);
  if (reasons(model)) head.key("include").begin_array().string("reasoning.encrypted_content").end_array();
  // Random padding beside each delta, which the official server adds unless told.
  if (is_host("openai.com"))
    head.key("stream_options").begin_object().key("include_obfuscation").boolean(false).end_object();
  head.key("store").boolean(false).key("stream").boolean(true).key("input").begin_array();
}

void ResponsesRequest::write_end(std::string& out) { out += "]}"; }

}  // namespace magi::provider
