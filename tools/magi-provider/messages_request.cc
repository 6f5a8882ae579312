#include "tools/magi-provider/messages_request.h"

#include <algorithm>

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

// Of the models before `output_config.effort`: how many tokens of thinking an effort stands for.
std::int64_t thinking_budget(std::string_view effort) {
  if (effort == "low") return 4'096;
  if (effort == "medium") return 10'000;
  return effort == "high" || effort == "xhigh" || effort == "max" ? 24'000 : 0;
}

bool begins_with_one_of(std::string_view model, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return model.starts_with(p); });
}

bool never_thinks(std::string_view model) { return model.starts_with("claude-3-") && !model.starts_with("claude-3-7"); }

// Those that think by a budget of tokens and know no effort.
bool thinks_by_budget(std::string_view model) {
  return begins_with_one_of(model, {"claude-3-7", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-sonnet-4-5",
                                    "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2", "claude-haiku-4-5"});
}

// Those since 4.7 refuse any temperature.
bool claude_takes_temperature(std::string_view model) {
  return !model.starts_with("claude-") ||
         begins_with_one_of(model, {"claude-3-", "claude-sonnet-4-", "claude-haiku-4-", "claude-opus-4-0",
                                    "claude-opus-4-1", "claude-opus-4-2", "claude-opus-4-5", "claude-opus-4-6"});
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
  thought_ = false;
  if (role == Role::kUser) earlier_user_end_ = std::exchange(user_end_, std::nullopt);
  return out.append(role == Role::kUser ? R"({"role":"user","content":[)" : R"({"role":"assistant","content":[)");
}

void MessagesRequest::end_block(std::string& out) {
  if (role_ == Role::kUser) user_end_ = body_.mark();
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

void MessagesRequest::on_assistant(RawText text, bool) {
  std::string& out = begin_block(Role::kAssistant).append(R"({"type":"text","text":")").append(text).append("\"");
  end_block(out);
}

void MessagesRequest::on_call(const Call& call) {
  std::string& out = begin_block(Role::kAssistant).append(R"({"type":"tool_use","id":")").append(call.id);
  out.append(R"(","name":")").append(call.name).append(R"(","input":)").append(call.json);
  calls_without_thought_ = !thought_;
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
  const bool first = role_ != Role::kAssistant;
  begin_block(Role::kAssistant).append(item.raw());
  thought_ |= first && is_reasoning(item);
}

bool MessagesRequest::is_sendable(const json::Node& item) const {
  const RawText type = raw_member(item, "type");
  if (type == "thinking")
    return !raw_member(item, "signature").empty() && item.find("thinking").is(json::Kind::kString);
  if (type == "redacted_thinking") return !raw_member(item, "data").empty();
  // These have records of their own.
  return !type.empty() && type != "text" && type != "tool_use" && type != "tool_result" && type != "image";
}

bool MessagesRequest::is_reasoning(const json::Node& item) const {
  const RawText type = raw_member(item, "type");
  return type == "thinking" || type == "redacted_thinking";
}

// What the server has read up to here is what the next request begins with; what it had read when the last one came is
// what it can serve now, however many blocks lie between.
void MessagesRequest::insert_marks() {
  if (user_end_) body_.insert(*user_end_, kCacheControl);
  if (earlier_user_end_) body_.insert(*earlier_user_end_, kCacheControl);
}

void MessagesRequest::write_end(std::string& out) {
  out += role_ == Role::kNone ? "]}" : "]}]}";
  insert_marks();
}

void MessagesRequest::write_tools(json::Writer& head, std::string& out) const {
  head.key("tools").begin_array();
  for (const Tool& tool : tools()) {
    head.begin_object().key("name").string(tool.name).key("description").string(tool.description);
    head.key("input_schema").raw(tool.schema);
    // The mark behind the system text covers the tools too.
    if (request().instructions.empty() && &tool == &tools().back()) out += kCacheControl;
    head.end_object();
  }
  head.end_array();
}

bool MessagesRequest::write_thinking(json::Writer& head, std::string_view model, std::int64_t max_tokens) const {
  const std::string effort = reasoning_effort();
  const json::Node given = parameter("thinking");
  const std::int64_t asked = given ? given.find("budget_tokens").as_int().value_or(0) : thinking_budget(effort);
  const bool by_budget = given ? bool(given.find("budget_tokens")) : thinks_by_budget(model);
  if (by_budget) {
    // The API's least, and below the limit of the whole answer.
    const std::int64_t budget = std::min(asked, max_tokens - 1);
    if (budget < 1'024 || !can_think()) return false;
    head.key("thinking").begin_object().key("type").string("enabled").key("budget_tokens").integer(budget).end_object();
    return true;
  }
  const bool thinks = given && can_think();
  if (thinks) head.key("thinking").raw(given.raw());
  if (!effort.empty() && effort != "none" && !never_thinks(model) && !thinks_by_budget(model))
    head.key("output_config").begin_object().key("effort").string(effort == "minimal" ? "low" : effort).end_object();
  return thinks;
}

void MessagesRequest::write_head(std::string& out, std::string_view model) {
  json::Writer head(out);
  const std::int64_t max_tokens =
      std::max<std::int64_t>(parameter("max_output_tokens").as_int().value_or(default_limit(model)), 1);
  head.begin_object().key("model").string(model).key("max_tokens").integer(max_tokens).key("stream").boolean(true);
  const bool thinks = write_thinking(head, model, max_tokens);
  // Thinking allows neither a temperature nor a forced tool.
  if (const json::Node value = parameter("temperature"); value && !thinks && claude_takes_temperature(model))
    head.key("temperature").raw(value.raw());
  if (!tools().empty()) {
    write_tools(head, out);
    const ToolChoice choice = tool_choice();
    if (choice.word == "auto" || choice.word == "none")
      head.key("tool_choice").begin_object().key("type").string(choice.word).end_object();
    else if (!choice.tool.empty() && !thinks)
      head.key("tool_choice").begin_object().key("type").string("tool").key("name").string(choice.tool).end_object();
    else if (!choice.word.empty() && !thinks)
      head.key("tool_choice").begin_object().key("type").string("any").end_object();
  }
  if (!request().instructions.empty()) {
    head.key("system").begin_array().begin_object().key("type").string("text");
    head.key("text").string(request().instructions);
    out += kCacheControl;
    head.end_object().end_array();
  }
  head.key("messages").begin_array();
}

}  // namespace magi::provider
