#include "tools/magi-provider/chat_request.h"

#include "libcommon/json/writer.h"
#include "tools/magi-provider/chat_items.h"

namespace magi::provider {
namespace {

// `"a":1,"b":2` of an object's members, in order: those that the reader keeps.
std::string members_of(const json::Node& object) {
  std::string text;
  for (const json::Node::Member member : object.members()) {
    if (!member.is("reasoning_content") && !member.is("extra_content")) continue;
    if (!text.empty()) text += ',';
    text.append(member.key_node.raw()).append(":").append(member.value.raw());
  }
  return text;
}

void append_text_part(std::string& out, RawText text) {
  out.append(R"({"type":"text","text":")").append(text).append("\"}");
}

}  // namespace

std::string& ChatRequest::begin_message() {
  std::string& out = body_.out();
  if (std::exchange(any_message_, true)) out += ',';
  after_result_ = false;
  return out;
}

// Chat templates want the user's message first.
std::string& ChatRequest::begin_assistant() {
  if (!any_message_) begin_message() += R"({"role":"user","content":"[The conversation begins with an answer.]"})";
  return begin_message();
}

void ChatRequest::close() {
  switch (std::exchange(open_, Open::kNone)) {
    case Open::kNone: return;
    case Open::kUser: return write_user();
    case Open::kAssistantText: body_.out() += "\"}"; return;
    case Open::kAssistantCalls: body_.out() += "]}"; return;
  }
}

void ChatRequest::on_user(RawText text, std::vector<Image> images) {
  if (open_ != Open::kUser) close();
  open_ = Open::kUser;
  assistant_fields_.clear();
  call_fields_.clear();
  if (!text.empty()) user_texts_.emplace_back(text);
  for (Image& image : images) {
    if (image.base64.empty())
      user_texts_.push_back(raw_from_text(image.absence));
    else
      user_images_.push_back(std::move(image));
  }
}

// A plain string where there are no images: many servers know no other form.
void ChatRequest::write_user() {
  std::string joined;
  for (const std::string& text : user_texts_) joined.append(joined.empty() ? "" : "\\n\\n").append(text);
  // Mistral refuses a user's message behind a tool's.
  if (after_result_ && is_host("mistral.ai")) begin_message() += R"({"role":"assistant","content":"I see."})";
  std::string& out = begin_message().append(R"({"role":"user","content":)");
  if (user_images_.empty()) {
    out.append("\"").append(joined).append("\"}");
  } else {
    out += '[';
    if (!joined.empty()) append_text_part(out, joined);
    for (const Image& image : user_images_) {
      if (out.back() != '[') out += ',';
      out.append(R"({"type":"image_url","image_url":{"url":"data:)").append(image.media_type).append(";base64,");
      out.append(image.base64).append("\"}}");
    }
    out += "]}";
  }
  user_texts_.clear();
  user_images_.clear();
}

void ChatRequest::append_fields(std::string& out, std::string& fields) {
  if (!fields.empty()) out.append(",").append(fields);
  fields.clear();
}

void ChatRequest::on_assistant(RawText text, bool joins) {
  if (open_ == Open::kAssistantText) {
    body_.out().append(joins ? "" : "\\n\\n").append(text);
    return;
  }
  close();
  open_ = Open::kAssistantText;
  begin_assistant().append(R"({"role":"assistant","content":")").append(text);
}

void ChatRequest::on_call(const Call& call) {
  if (open_ == Open::kAssistantCalls) {
    body_.out() += ',';
  } else {
    if (open_ != Open::kAssistantText) {
      close();
      begin_assistant().append(R"({"role":"assistant","content":null)");
    } else {
      body_.out() += '"';
    }
    append_fields(body_.out(), assistant_fields_);
    body_.out().append(R"(,"tool_calls":[)");
    open_ = Open::kAssistantCalls;
  }
  std::string& out =
      body_.out().append(R"({"id":")").append(call.id).append(R"(","type":"function","function":{"name":")");
  out.append(call.name).append(R"(","arguments":")").append(call.raw).append("\"}");
  append_fields(out, call_fields_);
  out += '}';
}

void ChatRequest::on_result(const ToolOutput& result) {
  if (open_ == Open::kAssistantCalls || open_ == Open::kAssistantText) close();
  std::string text(result.text);
  for (const Image& image : result.images)
    if (image.base64.empty()) text.append(text.empty() ? "" : "\\n").append(raw_from_text(image.absence));
  begin_message()
      .append(R"({"role":"tool","tool_call_id":")")
      .append(result.id)
      .append(R"(","content":")")
      .append(text)
      .append("\"}");
  after_result_ = true;
  // A tool's message holds text alone; the next user message shows its images.
  for (const Image& image : result.images)
    if (!image.base64.empty()) user_images_.push_back(image);
  if (!user_images_.empty()) open_ = Open::kUser;
}

void ChatRequest::on_item(const json::Node& item) {
  if (raw_member(item, "origin") != raw_from_text(options_.base_url)) return;
  const RawText type = raw_member(item, "type");
  if (type == chat_item::kAssistantFields) {
    assistant_fields_ = members_of(item.find("fields"));
  } else if (type == chat_item::kCallFields) {
    call_fields_ = members_of(item.find("fields"));
  }
}

// All of them are fields of something that must follow.
bool ChatRequest::is_reasoning(const json::Node& item) const {
  return raw_member(item, "type") == chat_item::kAssistantFields || raw_member(item, "type") == chat_item::kCallFields;
}

IdRules ChatRequest::id_rules() const { return {40, true, is_host("mistral.ai")}; }

void ChatRequest::write_end(std::string&) {
  close();
  body_.out() += "]}";
}

void ChatRequest::write_head(std::string& out, std::string_view model) {
  json::Writer head(out);
  head.begin_object().key("model").string(model).key("stream").boolean(true);
  head.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  if (const json::Node limit = parameter("max_output_tokens"))
    head.key(is_host("openai.com") ? "max_completion_tokens" : "max_tokens").raw(limit.raw());
  if (const json::Node value = parameter("temperature"); value && takes_temperature(model))
    head.key("temperature").raw(value.raw());
  if (const json::Node format = parameter("response_format")) head.key("response_format").raw(format.raw());
  if (const std::string effort = reasoning_effort(); !effort.empty()) head.key("reasoning_effort").string(effort);
  if (!tools().empty()) {
    head.key("tools").begin_array();
    for (const Tool& tool : tools()) {
      head.begin_object().key("type").string("function").key("function").begin_object();
      head.key("name").string(tool.name).key("description").string(tool.description);
      head.key("parameters").raw(tool.schema).end_object().end_object();
    }
    head.end_array();
    const ToolChoice choice = tool_choice();
    if (!choice.word.empty()) head.key("tool_choice").string(choice.word);
    if (!choice.tool.empty()) {
      head.key("tool_choice").begin_object().key("type").string("function");
      head.key("function").begin_object().key("name").string(choice.tool).end_object().end_object();
    }
  }
  if (const std::string key = cache_key(); !key.empty() && is_host("openai.com"))
    head.key("prompt_cache_key").string(key);
  head.key("messages").begin_array();
  if (request().instructions.empty()) return;
  head.begin_object().key("role").string("system").key("content").string(request().instructions).end_object();
  // The history's first message follows in another piece of the body.
  if (any_message_) out += ',';
}

}  // namespace magi::provider
