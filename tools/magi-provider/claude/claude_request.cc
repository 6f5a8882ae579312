#include "tools/magi-provider/claude/claude_request.h"

#include "libcommon/json/writer.h"

namespace magi::provider {
namespace {

constexpr std::string_view kUser = "[user]\\n", kAssistant = "[assistant]\\n";
constexpr std::string_view kFormat =
    "The user's message holds the conversation, one block an entry, each under a label in square brackets: what "
    "the user and you, the assistant, have said, the tools that you have called, and their results. Go on with it from "
    "where it ends, as the assistant, without a label of your own. Call tools only as tools, never in text.";

}  // namespace

std::string ClaudeRequest::system_prompt() const {
  const std::string& instructions = request().instructions;
  return instructions.empty() ? std::string(kFormat) : instructions + "\n\n" + std::string(kFormat);
}

std::string ClaudeRequest::tools_json() const {
  std::string text;
  json::Writer out(text);
  out.begin_array();
  for (const Tool& tool : tools()) {
    out.begin_object().key("name").string(tool.name).key("description").string(tool.description);
    out.key("inputSchema").raw(tool.schema).end_object();
  }
  out.end_array();
  return text;
}

ReaderContext ClaudeRequest::claude_context() const {
  ReaderContext context = reader_context();
  for (auto& [sent, defined] : context.tool_names) sent.insert(0, kClaudeToolPrefix);
  for (const Tool& tool : tools()) {
    std::string sent = std::string(kClaudeToolPrefix) + tool.name;
    bool known = false;
    for (const auto& name : context.tool_names) known = known || name.first == sent;
    if (!known) context.tool_names.emplace_back(std::move(sent), tool.name);
  }
  return context;
}

// Also a single prompt has its label: the next request then begins with the same bytes, and what begins with a slash is
// no command of claude's.
void ClaudeRequest::add_block(std::string_view label, RawText text) {
  std::string& out = body_.out();
  if (std::exchange(any_block_, true)) out += ',';
  out.append(R"({"type":"text","text":")").append(label).append(text).append("\"}");
}

void ClaudeRequest::add_images(const std::vector<Image>& images) {
  for (const Image& image : images) {
    std::string& out = body_.out();
    if (std::exchange(any_block_, true)) out += ',';
    if (image.base64.empty()) {
      json::append_quoted(out.append(R"({"type":"text","text":)"), image.absence);
      out += '}';
    } else {
      out.append(R"({"type":"image","source":{"type":"base64","media_type":")").append(image.media_type);
      out.append(R"(","data":")").append(image.base64).append("\"}}");
    }
  }
}

void ClaudeRequest::on_user(RawText text, std::vector<Image> images) {
  if (!text.empty()) add_block(kUser, text);
  add_images(images);
}

void ClaudeRequest::on_assistant(RawText text, bool joins) {
  add_block(joins ? std::string_view("[assistant, going on]\\n") : kAssistant, text);
}

void ClaudeRequest::on_call(const Call& call) {
  add_block("[assistant calls " + call.name + ", " + call.id + "]\\n", call.raw);
}

void ClaudeRequest::on_result(const ToolOutput& result) {
  add_block((result.failed ? "[failed result of " : "[result of ") + result.id + "]\\n", result.text);
  add_images(result.images);
}

void ClaudeRequest::write_head(std::string& out, std::string_view) {
  out += R"({"type":"user","message":{"role":"user","content":[)";
}

void ClaudeRequest::write_end(std::string& out) {
  out += "]},\"parent_tool_use_id\":null,\"session_id\":\"default\"}\n";
}

}  // namespace magi::provider
