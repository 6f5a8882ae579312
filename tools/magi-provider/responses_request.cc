#include "tools/magi-provider/responses_request.h"

#include <algorithm>

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
      out.append(image.base64).append(R"(","detail":"auto"})");
    }
  }
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

// Parts of output want the id of a message that the server has stored; plain text does not.
void ResponsesRequest::on_assistant(RawText text, bool) {
  std::string& out = begin_item().append(R"({"type":"message","role":"assistant","content":)");
  if (is_codex())
    out.append(R"([{"type":"output_text","text":")").append(text).append(R"(","annotations":[]}]})");
  else
    out.append("\"").append(text).append("\"}");
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

// Some servers give several items one id; the API refuses the second.
void ResponsesRequest::on_item(const json::Node& item) {
  if (const auto id = item.find("id").as_string(); id && !item_ids_.insert(*id).second) return;
  begin_item().append(item.raw());
}

bool ResponsesRequest::is_reasoning(const json::Node& item) const {
  return raw_member(item, "type") == event::Reasoning::kType;
}

// Nothing is stored on the server: what it encrypts is all that there is.
bool ResponsesRequest::is_sendable(const json::Node& item) const {
  const RawText type = raw_member(item, "type");
  if (is_reasoning(item))
    return !raw_member(item, "encrypted_content").empty() && item.find("summary").is(json::Kind::kArray);
  if (type == "compaction") return !raw_member(item, "encrypted_content").empty();
  return !type.empty() && type != "message" && (!item.find("call_id") || raw_member(item, "execution") == "server");
}

void ResponsesRequest::write_tools(json::Writer& head) const {
  head.key("tools").begin_array();
  for (const Tool& tool : tools()) {
    head.begin_object().key("type").string("function").key("name").string(tool.name);
    head.key("description").string(tool.description).key("parameters").raw(tool.schema);
    // Left out, it means that the server tries the strict subset of JSON Schema.
    head.key("strict").boolean(false).end_object();
  }
  head.end_array();
  const ToolChoice choice = tool_choice();
  if (!choice.word.empty()) head.key("tool_choice").string(choice.word);
  if (!choice.tool.empty())
    head.key("tool_choice").begin_object().key("type").string("function").key("name").string(choice.tool).end_object();
}

void ResponsesRequest::write_reasoning(json::Writer& head) const {
  const json::Node summary = parameter("reasoning").find("summary");
  if (const std::string effort = reasoning_effort(); !effort.empty() || summary) {
    head.key("reasoning").begin_object();
    if (!effort.empty()) head.key("effort").string(effort);
    if (summary) head.key("summary").raw(summary.raw());
    head.end_object();
  }
  head.key("include").begin_array().string("reasoning.encrypted_content").end_array();
}

void ResponsesRequest::write_head(std::string& out, std::string_view model) {
  // The API's smallest output limit.
  constexpr std::int64_t kLeastOutputTokens = 16;
  json::Writer head(out);
  head.begin_object().key("model").string(model);
  if (!request().instructions.empty())
    head.key("instructions").string(request().instructions);
  else if (is_codex())
    head.key("instructions").string("Answer the user.");
  if (!tools().empty()) write_tools(head);
  const auto limit = parameter("max_output_tokens").as_int();
  if (limit && !is_codex()) head.key("max_output_tokens").integer(std::max(*limit, kLeastOutputTokens));
  const json::Node temperature = parameter("temperature");
  if (temperature && !is_codex() && takes_temperature(model)) head.key("temperature").raw(temperature.raw());
  if (const json::Node text = parameter("text")) head.key("text").raw(text.raw());
  if (reasons(model)) write_reasoning(head);
  if (const std::string key = cache_key(); !key.empty()) head.key("prompt_cache_key").string(key);
  // Random padding beside each delta, which the official server adds unless told.
  if (is_host("openai.com"))
    head.key("stream_options").begin_object().key("include_obfuscation").boolean(false).end_object();
  head.key("store").boolean(false).key("stream").boolean(true).key("input").begin_array();
}

void ResponsesRequest::write_end(std::string& out) { out += "]}"; }

}  // namespace magi::provider
