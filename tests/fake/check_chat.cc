// Chat Completions: what POST /chat/completions accepts, OpenAI's own and the stricter of the compatible servers.
#include <optional>

#include "tests/fake/report.h"

namespace magi::fake {
namespace {

using json::Kind;
using json::Node;

void check_tool(const Node& tool, const std::string& where, Report& report) {
  only_known(tool, {"type", "function"}, where, report);
  const Node function = tool.find("function");
  if (text_of(tool, "type") != "function" || !function.is(Kind::kObject))
    return report.problem(where, "is not {type: \"function\", function: {...}}");
  only_known(function, {"name", "description", "parameters", "strict"}, where, report);
  report.tool_names.push_back(text_of(function, "name"));
  check_tool_name(report.tool_names.back(), where, report);
  check_schema(function.find("parameters"), function.find("strict").as_bool().value_or(false), where, report);
}

// Text, or a list of parts of which at least one says something.
void check_content(const Node& content, const std::string& where, Report& report) {
  if (content.is(Kind::kString)) {
    if (content.raw_string().empty()) report.problem(where, "the text is empty");
    return;
  }
  if (!content.is(Kind::kArray)) return report.problem(where, "content is neither text nor a list of parts");
  std::size_t count = 0;
  for (const Node part : content.elements()) {
    ++count;
    const std::string type = text_of(part, "type");
    if (type == "text")
      need_strings(part, {"text"}, where, report);
    else if (type == "image_url")
      check_image_url(text_of(part.find("image_url"), "url"), where, report);
    else
      report.problem(where, "a part of type '" + type + "' does not belong here");
  }
  if (count == 0) report.problem(where, "content is an empty list");
}

void check_calls(const Node& calls, const std::string& where, Report& report, Step& step) {
  for (const Node call : calls.elements()) {
    only_known(call, {"id", "type", "function", "extra_content"}, where, report);
    const std::string id = text_of(call, "id");
    if (id.empty() || id.size() > 40) report.problem(where, "the id of a call is missing or longer than 40");
    if (text_of(call, "type") != "function") report.problem(where, "the type of a call is not \"function\"");
    check_tool_name(text_of(call.find("function"), "name"), where, report);
    check_arguments(call.find("function").find("arguments"), where, report);
    step.ids.push_back(id);
  }
  if (step.ids.empty()) report.problem(where, "tool_calls is an empty list");
}

void check_assistant(const Node& message, const std::string& where, Report& report) {
  only_known(
      message,
      {"role", "content", "tool_calls", "name", "refusal", "reasoning_content", "reasoning", "reasoning_details"},
      where, report);
  Step step{Step::Kind::kAssistant, {}};
  const Node calls = message.find("tool_calls"), content = message.find("content");
  if (calls)
    check_calls(calls, where, report, step);
  else
    check_content(content, where, report);
  if (calls && content && !content.is(Kind::kNull) && !content.is(Kind::kString) && !content.is(Kind::kArray))
    report.problem(where, "content is neither text nor a list of parts");
  report.steps.push_back(std::move(step));
}

void check_tool_message(const Node& message, const std::string& where, Report& report) {
  only_known(message, {"role", "content", "tool_call_id", "name"}, where, report);
  need_strings(message, {"tool_call_id"}, where, report);
  const Node content = message.find("content");
  if (!content.is(Kind::kString)) check_content(content, where, report);
  report.steps.push_back({Step::Kind::kResult, {text_of(message, "tool_call_id")}});
}

void check_message(const Node& message, std::size_t index, Report& report) {
  const std::string where = at("messages", index), role = text_of(message, "role");
  if (role == "assistant") return check_assistant(message, where, report);
  if (role == "tool") return check_tool_message(message, where, report);
  only_known(message, {"role", "content", "name"}, where, report);
  check_content(message.find("content"), where, report);
  if (role == "user") return report.steps.push_back({Step::Kind::kUser, {}});
  if (role != "system" && role != "developer") return report.problem(where, "role '" + role + "' is unknown");
  // Chat templates of local models refuse one that stands later.
  if (!report.steps.empty()) report.problem(where, "a " + role + " message behind the conversation's start");
}

void check_choice(const Node& choice, Report& report) {
  if (!choice) return;
  if (const auto word = choice.as_string()) {
    if (*word != "auto" && *word != "none" && *word != "required") report.problem("tool_choice", "is '" + *word + "'");
    return;
  }
  if (text_of(choice, "type") != "function") return report.problem("tool_choice", "is neither a word nor a function");
  check_chosen_tool(text_of(choice.find("function"), "name"), report);
}

// What the templates of many local models insist on: the user speaks first, and the assistant never twice in a row.
void check_roles(const Node& messages, Report& report) {
  std::string previous;
  std::size_t index = 0;
  for (const Node message : messages.elements()) {
    const std::string role = text_of(message, "role"), where = at("messages", index++);
    if (role == "system" || role == "developer") continue;
    if (previous.empty() && role != "user") report.problem(where, "the conversation does not begin with the user");
    if (previous == role && role != "tool") report.problem(where, "two " + role + " messages follow each other");
    previous = role;
  }
}

}  // namespace

void check_chat(const Node& body, Report& report) {
  only_known(body,
             {"model",
              "messages",
              "tools",
              "tool_choice",
              "parallel_tool_calls",
              "stream",
              "stream_options",
              "max_tokens",
              "max_completion_tokens",
              "temperature",
              "top_p",
              "stop",
              "reasoning_effort",
              "verbosity",
              "prompt_cache_key",
              "response_format",
              "seed",
              "user",
              "store",
              "n",
              "metadata",
              "service_tier",
              "frequency_penalty",
              "presence_penalty",
              "reasoning",
              "safety_identifier"},
             "body", report);
  need_boolean_if_present(body, "parallel_tool_calls", report);
  if (body.find("stream_options") && body.find("stream").as_bool() != std::optional(true))
    report.problem("stream_options", "is given without stream");
  std::size_t index = 0;
  for (const Node tool : body.find("tools").elements()) check_tool(tool, at("tools", index++), report);
  if (body.find("tools") && index == 0) report.problem("tools", "is an empty list");
  index = 0;
  for (const Node message : body.find("messages").elements()) check_message(message, index++, report);
  if (index == 0) report.problem("messages", "is missing or empty");
  check_roles(body.find("messages"), report);
  check_choice(body.find("tool_choice"), report);
  if (body.find("max_tokens") && body.find("max_completion_tokens"))
    report.problem("max_tokens", "is given beside max_completion_tokens");
  one_of_if_present(body, "reasoning_effort", {"none", "minimal", "low", "medium", "high", "xhigh", "max"}, "body",
                    report);
}

}  // namespace magi::fake
