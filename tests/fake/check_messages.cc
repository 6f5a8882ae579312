// Anthropic Messages: what POST /v1/messages accepts.
#include <optional>

#include "tests/fake/report.h"

namespace magi::fake {
namespace {

using json::Kind;
using json::Node;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// What one walk over the body gathers beside the report.
struct Walk {
  Report& report;
  int breakpoints = 0;                  // cache_control marks; four are allowed
  bool last_calls_have_thought = true;  // of the last assistant message with calls
};

void count_breakpoint(const Node& block, const std::string& where, Walk& walk) {
  if (!block.find("cache_control").is(Kind::kObject)) return;
  if (++walk.breakpoints == 5) walk.report.problem(where, "is the fifth block with cache_control");
  const std::string type = text_of(block, "type");
  if (type == "thinking" || type == "redacted_thinking") walk.report.problem(where, "cache_control on thinking");
}

void check_text(const Node& block, const std::string& where, Walk& walk) {
  if (is_blank(text_of(block, "text"))) walk.report.problem(where, "text content blocks must be non-empty");
}

void check_image(const Node& block, const std::string& where, Walk& walk) {
  const Node source = block.find("source");
  if (text_of(source, "type") == "base64")
    check_image_data(text_of(source, "media_type"), text_of(source, "data"), where, walk.report);
  else if (text_of(source, "type") != "url")
    walk.report.problem(where, "has no source");
}

void check_tool_use(const Node& block, const std::string& where, Walk& walk, Step& step) {
  only_known(block, {"type", "id", "name", "input", "cache_control", "caller"}, where, walk.report);
  const std::string id = text_of(block, "id");
  if (!is_plain_name(id)) walk.report.problem(where, "tool_use.id is not plain: '" + id + "'");
  check_tool_name(text_of(block, "name"), where, walk.report);
  if (!block.find("input").is(Kind::kObject)) walk.report.problem(where, "tool_use.input is not an object");
  step.ids.push_back(id);
}

void check_tool_result(const Node& block, const std::string& where, Walk& walk, Step& step) {
  only_known(block, {"type", "tool_use_id", "content", "is_error", "cache_control"}, where, walk.report);
  need_strings(block, {"tool_use_id"}, where, walk.report);
  step.ids.push_back(text_of(block, "tool_use_id"));
  const Node content = block.find("content");
  for (const Node part : content.elements()) {
    if (text_of(part, "type") == "text") check_text(part, where, walk);
    if (text_of(part, "type") == "image") check_image(part, where, walk);
  }
  if (content && !content.is(Kind::kString) && !content.is(Kind::kArray))
    walk.report.problem(where, "tool_result.content is neither text nor a list");
}

void check_assistant_block(const Node& block, const std::string& where, Walk& walk, Step& step) {
  const std::string type = text_of(block, "type");
  if (type == "text")
    check_text(block, where, walk);
  else if (type == "tool_use")
    check_tool_use(block, where, walk, step);
  else if (type == "thinking")
    need_strings(block, {"signature"}, where, walk.report);
  else if (type == "redacted_thinking")
    need_strings(block, {"data"}, where, walk.report);
  else if (type.empty() || type == "tool_result" || type == "image")
    walk.report.problem(where, "a block of type '" + type + "' from the assistant");
}

void check_user_block(const Node& block, const std::string& where, Walk& walk, Step& step, bool& other_seen) {
  const std::string type = text_of(block, "type");
  if (type == "tool_result") {
    if (other_seen) walk.report.problem(where, "a tool_result stands behind other blocks");
    return check_tool_result(block, where, walk, step);
  }
  other_seen = true;
  if (type == "text")
    check_text(block, where, walk);
  else if (type == "image")
    check_image(block, where, walk);
  else if (type == "document") {
    if (!block.find("source").is(Kind::kObject)) walk.report.problem(where, "has no source");
  } else
    walk.report.problem(where, "a block of type '" + type + "' from the user");
}

void check_blocks(const Node& content, bool assistant, const std::string& where, Walk& walk, Step& step) {
  std::size_t index = 0;
  bool other_seen = false;
  for (const Node block : content.elements()) {
    const std::string here = where + "." + at("content", index++);
    count_breakpoint(block, here, walk);
    if (assistant)
      check_assistant_block(block, here, walk, step);
    else
      check_user_block(block, here, walk, step, other_seen);
  }
  if (index == 0) walk.report.problem(where, "content is an empty list");
  std::string last;
  for (const Node block : content.elements()) last = text_of(block, "type");
  walk.report.is_paused = assistant && (last.ends_with("_tool_use") || last.ends_with("_tool_result"));
  if (!assistant || step.ids.empty()) return;
  const std::string first = text_of(*content.elements().begin(), "type");
  walk.last_calls_have_thought = first == "thinking" || first == "redacted_thinking";
}

void check_message(const Node& message, std::string& previous, const std::string& where, Walk& walk) {
  only_known(message, {"role", "content"}, where, walk.report);
  const std::string role = text_of(message, "role");
  if (role != "user" && role != "assistant") walk.report.problem(where, "role '" + role + "' is unknown");
  if (previous.empty() && role != "user") walk.report.problem(where, "the first message is not the user's");
  if (previous == role) walk.report.problem(where, "two messages of one role follow each other");
  previous = role;
  Step step{role == "assistant" ? Step::Kind::kAssistant : Step::Kind::kUser, {}};
  const Node content = message.find("content");
  if (content.is(Kind::kString)) {
    if (is_blank(*content.as_string())) walk.report.problem(where, "text content blocks must be non-empty");
  } else if (content.is(Kind::kArray)) {
    check_blocks(content, role == "assistant", where, walk, step);
  } else {
    walk.report.problem(where, "content is neither text nor a list of blocks");
  }
  if (role == "user" && !step.ids.empty()) step.kind = Step::Kind::kResult;
  walk.report.steps.push_back(std::move(step));
}

void check_tool(const Node& tool, const std::string& where, Walk& walk) {
  const std::string name = text_of(tool, "name"), type = text_of(tool, "type");
  walk.report.tool_names.push_back(name);
  check_tool_name(name, where, walk.report);
  count_breakpoint(tool, where, walk);
  if (!type.empty() && type != "custom") return;  // a tool of the provider's own
  only_known(tool, {"type", "name", "description", "input_schema", "cache_control", "strict", "eager_input_streaming"},
             where, walk.report);
  check_schema(tool.find("input_schema"), false, where, walk.report);
}

void check_system(const Node& system, Walk& walk) {
  std::size_t index = 0;
  for (const Node block : system.elements()) {
    const std::string where = at("system", index++);
    if (text_of(block, "type") != "text") walk.report.problem(where, "is not a text block");
    check_text(block, where, walk);
    count_breakpoint(block, where, walk);
  }
  if (system && !system.is(Kind::kString) && !system.is(Kind::kArray))
    walk.report.problem("system", "is neither text nor a list of blocks");
}

void check_thinking(const Node& body, bool last_calls_have_thought, Report& report) {
  const Node thinking = body.find("thinking");
  one_of_if_present(thinking, "type", {"enabled", "adaptive", "disabled"}, "thinking", report);
  one_of_if_present(body.find("output_config"), "effort", {"low", "medium", "high", "xhigh", "max"}, "output_config",
                    report);
  if (!thinking || text_of(thinking, "type") == "disabled") return;
  if (body.find("temperature")) report.problem("temperature", "is not allowed with thinking");
  const std::string choice = text_of(body.find("tool_choice"), "type");
  if (choice == "any" || choice == "tool") report.problem("tool_choice", "may not force a tool with thinking");
  if (text_of(thinking, "type") != "enabled") return;
  if (!last_calls_have_thought)
    report.problem("thinking", "Expected 'thinking' or 'redacted_thinking', but found 'tool_use'");
  const auto budget = thinking.find("budget_tokens").as_int().value_or(0);
  if (budget < 1024 || budget >= body.find("max_tokens").as_int().value_or(0))
    report.problem("thinking", "budget_tokens is not between 1024 and max_tokens");
}

void check_choice(const Node& choice, Report& report) {
  if (!choice) return;
  one_of_if_present(choice, "type", {"auto", "any", "none", "tool"}, "tool_choice", report);
  if (text_of(choice, "type") == "tool") check_chosen_tool(text_of(choice, "name"), report);
}

}  // namespace

void check_messages(const Node& body, Report& report) {
  Walk walk{report};
  only_known(body,
             {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config",
              "stop_sequences", "temperature", "top_p", "top_k", "metadata", "service_tier", "container",
              "context_management", "mcp_servers", "stream", "cache_control"},
             "body", report);
  if (body.find("max_tokens").as_int().value_or(0) < 1) report.problem("max_tokens", "is not a positive integer");
  std::size_t index = 0;
  for (const Node tool : body.find("tools").elements()) check_tool(tool, at("tools", index++), walk);
  check_system(body.find("system"), walk);
  std::string previous;
  index = 0;
  for (const Node message : body.find("messages").elements())
    check_message(message, previous, at("messages", index++), walk);
  if (index == 0) report.problem("messages", "is missing or empty");
  check_thinking(body, walk.last_calls_have_thought, report);
  check_choice(body.find("tool_choice"), report);
}

}  // namespace magi::fake
