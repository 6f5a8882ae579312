// OpenAI Responses: what POST /responses accepts.
#include <algorithm>
#include <optional>

#include "tests/fake/report.h"

namespace magi::fake {
namespace {

using json::Kind;
using json::Node;

void check_tool(const Node& tool, const std::string& where, Report& report) {
  const std::string type = text_of(tool, "type"), name = text_of(tool, "name");
  if (type != "function" && type != "custom") {
    if (type.empty()) report.problem(where, "has no type");
    return report.tool_names.push_back(type);
  }
  report.tool_names.push_back(name);
  check_tool_name(name, where, report);
  if (type == "custom") return;
  only_known(tool, {"type", "name", "description", "parameters", "strict"}, where, report);
  // Without it the API tries to be strict, which ordinary schemas fail.
  if (!tool.find("strict").as_bool()) report.problem(where, "strict is not stated");
  check_schema(tool.find("parameters"), tool.find("strict").as_bool().value_or(false), where, report);
}

void check_parts(const Node& content, bool assistant, const std::string& where, Report& report) {
  if (content.is(Kind::kString)) {
    if (content.raw_string().empty()) report.problem(where, "the text is empty");
    return;
  }
  if (!content.is(Kind::kArray)) return report.problem(where, "content is neither text nor a list of parts");
  std::size_t count = 0;
  for (const Node part : content.elements()) {
    ++count;
    const std::string type = text_of(part, "type");
    const bool text = type == (assistant ? "output_text" : "input_text");
    const bool other = assistant ? type == "refusal" : type == "input_image" || type == "input_file";
    if (!text && !other) report.problem(where, "a part of type '" + type + "' does not belong here");
    if (text && text_of(part, "text").empty()) report.problem(where, "the text of a part is missing or empty");
    if (type == "input_image") check_image_url(text_of(part, "image_url"), where, report);
  }
  if (count == 0) report.problem(where, "content is an empty list");
}

void check_message(const Node& item, const std::string& where, Report& report) {
  only_known(item, {"type", "role", "content", "id", "status", "phase"}, where, report);
  const std::string role = text_of(item, "role");
  if (role != "user" && role != "assistant" && role != "system" && role != "developer")
    report.problem(where, "role '" + role + "' is unknown");
  check_parts(item.find("content"), role == "assistant", where, report);
  report.steps.push_back({role == "assistant" ? Step::Kind::kAssistant
                          : role == "user"    ? Step::Kind::kUser
                                              : Step::Kind::kOther,
                          {}});
}

std::string call_id(const Node& item, const std::string& where, Report& report) {
  const std::string id = text_of(item, "call_id");
  if (id.empty() || id.size() > 64) report.problem(where, "call_id is missing or longer than 64");
  return id;
}

void check_call(const Node& item, const std::string& type, const std::string& where, Report& report) {
  if (type == "function_call") {
    only_known(item, {"type", "id", "call_id", "name", "arguments", "status", "namespace"}, where, report);
    check_tool_name(text_of(item, "name"), where, report);
    check_arguments(item.find("arguments"), where, report);
  }
  report.steps.push_back({Step::Kind::kAssistant, {call_id(item, where, report)}});
}

void check_output(const Node& item, const std::string& where, Report& report) {
  const Node output = item.find("output");
  if (output.is(Kind::kArray))
    check_parts(output, false, where, report);
  else if (!output.is(Kind::kString))
    report.problem(where, "output is neither text nor a list of parts");
  report.steps.push_back({Step::Kind::kResult, {call_id(item, where, report)}});
}

// A reasoning item stands directly before what it led to, and carries its content when nothing is stored.
void check_reasoning(const Node& item, bool stored, const std::string& where, Report& report) {
  if (!item.find("summary").is(Kind::kArray)) report.problem(where, "reasoning without a summary list");
  if (!stored && text_of(item, "encrypted_content").empty())
    report.problem(where, "reasoning without encrypted_content, and store is false");
  report.steps.push_back({Step::Kind::kAssistant, {}});
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void check_item(const Node& item, bool stored, const std::string& where, Report& report) {
  const std::string type = item.find("type") ? text_of(item, "type") : "message";
  if (!item.is(Kind::kObject))
    report.problem(where, "is not an object");
  else if (type == "message")
    check_message(item, where, report);
  else if (ends_with(type, "_output"))
    check_output(item, where, report);
  else if (type == "web_search_call" || type == "file_search_call" || type == "image_generation_call")
    report.steps.push_back({Step::Kind::kAssistant, {}});  // run by the server: no result of ours
  else if (ends_with(type, "_call"))
    check_call(item, type, where, report);
  else if (type == "reasoning")
    check_reasoning(item, stored, where, report);
  else if (type == "compaction")
    need_strings(item, {"encrypted_content"}, where, report);
  else if (type != "item_reference")
    report.problem(where, "items of type '" + type + "' are unknown");
}

void check_input(const Node& input, bool stored, Report& report) {
  if (input.is(Kind::kString)) {
    if (input.raw_string().empty()) report.problem("input", "is empty");
    return report.steps.push_back({Step::Kind::kUser, {}});
  }
  if (!input.is(Kind::kArray)) return report.problem("input", "is neither text nor a list");
  std::vector<std::string> ids;
  std::size_t index = 0;
  bool after_reasoning = false;
  for (const Node item : input.elements()) {
    const std::string where = at("input", index++), type = text_of(item, "type");
    check_item(item, stored, where, report);
    const bool led_to = ends_with(type, "_call") || text_of(item, "role") == "assistant" || type == "reasoning";
    if (after_reasoning && !led_to) report.problem(where, "follows reasoning that was provided without its item");
    after_reasoning = type == "reasoning";
    const std::string id = text_of(item, "id");
    if (!id.empty() && std::find(ids.begin(), ids.end(), id) != ids.end())
      report.problem(where, "id " + id + " occurs twice");
    if (!id.empty()) ids.push_back(id);
    if (id.size() > 64) report.problem(where, "id is longer than 64");
  }
  if (index == 0) report.problem("input", "is an empty list");
}

// What OpenAI's models with and without reasoning refuse.
void check_reasoning_options(const Node& body, Report& report) {
  const std::string model = text_of(body, "model");
  const bool reasons =
      model.starts_with("gpt-5") || (model.size() > 1 && model[0] == 'o' && model[1] >= '0' && model[1] <= '9');
  const bool plain = model.starts_with("gpt-4") || model.starts_with("gpt-3.5");
  if (reasons && body.find("temperature")) report.problem("temperature", "is not supported with " + model);
  if (plain && body.find("reasoning")) report.problem("reasoning", "is not supported with " + model);
  const Node reasoning = body.find("reasoning");
  only_known(reasoning, {"effort", "summary", "generate_summary", "context", "mode"}, "reasoning", report);
  one_of_if_present(reasoning, "effort", {"none", "minimal", "low", "medium", "high", "xhigh", "max"}, "reasoning",
                    report);
  one_of_if_present(reasoning, "summary", {"auto", "concise", "detailed"}, "reasoning", report);
  for (const Node name : body.find("include").elements())
    if (plain && name.as_string() == "reasoning.encrypted_content")
      report.problem("include", "encrypted content is not supported with " + model);
}

void check_choice(const Node& choice, Report& report) {
  if (!choice) return;
  if (const auto word = choice.as_string()) {
    if (*word != "auto" && *word != "none" && *word != "required") report.problem("tool_choice", "is '" + *word + "'");
    return;
  }
  one_of_if_present(choice, "type", {"function", "custom", "allowed_tools"}, "tool_choice", report);
  if (text_of(choice, "type") == "function") check_chosen_tool(text_of(choice, "name"), report);
}

}  // namespace

void check_responses(const Node& body, Report& report) {
  only_known(body,
             {"model",
              "instructions",
              "input",
              "tools",
              "tool_choice",
              "parallel_tool_calls",
              "reasoning",
              "store",
              "include",
              "prompt_cache_key",
              "prompt_cache_retention",
              "prompt_cache_options",
              "text",
              "max_output_tokens",
              "max_tool_calls",
              "truncation",
              "previous_response_id",
              "service_tier",
              "temperature",
              "top_p",
              "stream",
              "stream_options",
              "context_management",
              "metadata",
              "safety_identifier",
              "user",
              "background",
              "client_metadata"},
             "body", report);
  for (const std::string_view key : {"store", "parallel_tool_calls"}) need_boolean_if_present(body, key, report);
  const Node instructions = body.find("instructions");
  if (instructions && !instructions.is(Kind::kString) && !instructions.is(Kind::kNull))
    report.problem("instructions", "is not a string");
  if (text_of(body, "prompt_cache_key").size() > 64) report.problem("prompt_cache_key", "is longer than 64");
  if (const Node limit = body.find("max_output_tokens"); limit && limit.as_int().value_or(0) < 16)
    report.problem("max_output_tokens", "is not an integer of at least 16");
  std::size_t index = 0;
  for (const Node tool : body.find("tools").elements()) check_tool(tool, at("tools", index++), report);
  if (body.find("tools") && index == 0) report.problem("tools", "is an empty list");
  check_choice(body.find("tool_choice"), report);
  check_reasoning_options(body, report);
  if (body.find("stream_options") && body.find("stream").as_bool() != std::optional(true))
    report.problem("stream_options", "is given without stream");
  check_input(body.find("input"), body.find("store").as_bool().value_or(true), report);
}

}  // namespace magi::fake
