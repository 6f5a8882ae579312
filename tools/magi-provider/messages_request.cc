#include "tools/magi-provider/messages_request.h"

#include "libcommon/json/writer.h"

namespace magi::provider {
namespace {

constexpr std::string_view kCacheControl = R"(,"cache_control":{"type":"ephemeral"})";

// The API wants a limit; these are what its models allow at least.
std::int64_t default_limit(std::string_view model) {
  const auto is = [&](std::string_view prefix) { return model.substr(0, prefix.size()) == prefix; };
  if (is("claude-3-7")) return 32'000;
  if (is("claude-3-5")) return 8'192;
  if (is("claude-3-")) return 4'096;
  return 32'000;
}

}  // namespace

std::string& MessagesRequest::begin_block(Role role) {
  std::string& out = body_.out();
  if (role_ == Role::kNone && role == Role::kAssistant) {
    // The first message must be the user's.
    out += R"({"role":"user","content":[{"type":"text","text":"[The conversation begins with an answer.]"}]})";
    any_message_ = true;
  }
  if (role == role_) {
    out += ',';
    return out;
  }
  if (role_ != Role::kNone) out += "]}";
  if (std::exchange(any_message_, true)) out += ',';
  role_ = role;
  return out.append(role == Role::kUser ? R"({"role":"user","content":[)" : R"({"role":"assistant","content":[)");
}

void MessagesRequest::end_block(std::string& out) {
  last_block_end_ = body_.mark();
  out += '}';
}

void MessagesRequest::on_user(RawText text, std::vector<Image> images) {
  if (!text.empty()) {
    std::string& out = begin_block(Role::kUser).append(R"({"type":"text","text":")").append(text).append("\"");
    end_block(out);
  }
  for (const Image& image : images) append_image(begin_block(Role::kUser), image);
}

void MessagesRequest::append_image(std::string& out, const Image& image) {
  if (image.base64.empty()) {
    json::append_quoted(out.append(R"({"type":"text","text":)"), image.absence);
  } else {
    out.append(R"({"type":"image","source":{"type":"base64","media_type":")").append(image.media_type);
    out.append(R"(","data":")").append(image.base64).append("\"}");
  }
  end_block(out);
}

void MessagesRequest::on_assistant(RawText text) {
  std::string& out = begin_block(Role::kAssistant).append(R"({"type":"text","text":")").append(text).append("\"");
  end_block(out);
}

void MessagesRequest::on_call(const Call& call) {
  std::string& out = begin_block(Role::kAssistant).append(R"({"type":"tool_use","id":")").append(call.id);
  out.append(R"(","name":")").append(call.name).append(R"(","input":)").append(call.json);
  end_block(out);
}

void MessagesRequest::on_result(const ToolOutput& result) {
  std::string& out =
      begin_block(Role::kUser).append(R"({"type":"tool_result","tool_use_id":")").append(result.id).append("\"");
  if (result.failed) out += R"(,"is_error":true)";
  if (!result.images.empty()) {
    out += R"(,"content":[)";
    bool first = result.text.empty();
    if (!first) out.append(R"({"type":"text","text":")").append(result.text).append("\"}");
    for (const Image& image : result.images) {
      if (!std::exchange(first, false)) out += ',';
      append_image(out, image);
    }
    out += ']';
  } else if (!result.text.empty()) {
    out.append(R"(,"content":")").append(result.text).append("\"");
  }
  end_block(out);
}

// Signed thinking must come back byte for byte and may carry no cache mark.
void MessagesRequest::on_item(const json::Node& item) {
  begin_block(Role::kAssistant).append(item.raw());
  last_block_end_.reset();
}

bool MessagesRequest::is_reasoning(const json::Node& item) const {
  const RawText type = raw_member(item, "type");
  return type == "thinking" || type == "redacted_thinking";
}

void MessagesRequest::write_end(std::string& out) {
  out += role_ == Role::kNone ? "]}" : "]}]}";
  // What the server has read up to here is what the next request begins with.
  if (last_block_end_) body_.insert(*last_block_end_, kCacheControl);
}

void MessagesRequest::write_head(std::string& out, std::string_view model) {
  json::Writer head(out);
  head.begin_object().key("model").string(model).key("max_tokens");
  if (const auto limit = parameter("max_output_tokens").as_int())
    head.integer(*limit);
  else
    head.integer(default_limit(model));
  head.key("stream").boolean(true);
  if (const json::Node value = parameter("temperature")) head.key("temperature").raw(value.raw());
  if (const json::Node thinking = parameter("thinking")) head.key("thinking").raw(thinking.raw());
  if (const std::string effort = reasoning_effort(); !effort.empty())
    head.key("output_config").begin_object().key("effort").string(effort).end_object();
  const bool has_system = !request().instructions.empty();
  if (!tools().empty()) {
    head.key("tools").begin_array();
    for (const Tool& tool : tools()) {
      head.begin_object().key("name").string(tool.name).key("description").string(tool.description);
      head.key("input_schema").raw(tool.schema);
      // The mark behind the system text covers the tools too.
      if (!has_system && &tool == &tools().back()) out += kCacheControl;
      head.end_object();
    }
    head.end_array();
    if (const json::Node choice = parameter("tool_choice"); choice.is(json::Kind::kObject))
      head.key("tool_choice").raw(choice.raw());
    else if (const auto word = choice.as_string())
      head.key("tool_choice").begin_object().key("type").string(*word == "required" ? "any" : *word).end_object();
  }
  if (has_system) {
    head.key("system").begin_array().begin_object().key("type").string("text");
    head.key("text").string(request().instructions);
    out += kCacheControl;
    head.end_object().end_array();
  }
  head.key("messages").begin_array();
}

}  // namespace magi::provider
