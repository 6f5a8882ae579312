#include "tools/magi-code/front/print_sink.h"

#include <unistd.h>

#include "libcommon/json/node.h"
#include "libcommon/os/io.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

constexpr std::size_t kArgumentCharacters = 100;

// The one argument that says most about a call: a command, a path, a pattern; else all of them as JSON.
std::string call_summary(const event::ToolCall& call) {
  json::Parser parser;
  const auto arguments = parser.parse(call.arguments);
  for (std::string_view key : {"command", "path", "pattern"})
    if (arguments)
      if (const auto value = arguments->find(key).as_string()) return one_line(*value, kArgumentCharacters);
  return one_line(call.arguments, kArgumentCharacters);
}

}  // namespace

// Dim on a colour terminal: activity is secondary to the text.
void PrintSink::note(std::string_view text) {
  if (options_.quiet) return;
  if (options_.stdout_is_terminal) end_line();
  std::string line;
  if (options_.colour) line += "\x1b[2m";
  line += text;
  if (options_.colour) line += "\x1b[0m";
  line += '\n';
  (void)os::write_all(STDERR_FILENO, line);
}

// The answers of a run stand on lines of their own.
void PrintSink::end_line() {
  if (at_line_start_) return;
  (void)os::write_all(STDOUT_FILENO, "\n");
  at_line_start_ = true;
}

void PrintSink::session(const SessionRecord&) {}
void PrintSink::turn(const TurnRecord&) {}

Result<void> PrintSink::text(std::string_view delta) {
  if (delta.empty()) return {};
  at_line_start_ = delta.back() == '\n';
  if (!options_.stdout_is_terminal) return os::write_all(STDOUT_FILENO, delta);
  return os::write_all(STDOUT_FILENO, display_safe(delta));
}

void PrintSink::reasoning(std::string_view delta) {
  if (options_.verbose && !options_.quiet) (void)os::write_all(STDERR_FILENO, display_safe(delta));
}

void PrintSink::attempt(const event::Attempt& attempt) {
  if (attempt.number < 2) return;
  note("retrying (attempt " + std::to_string(attempt.number) + "): " + one_line(attempt.reason, kArgumentCharacters));
}

void PrintSink::tool_call(const event::ToolCall& call) {
  end_line();
  note(display_safe(call.name) + ": " + call_summary(call));
}

void PrintSink::tool_progress(const event::ToolProgress& progress) {
  if (options_.verbose && !options_.quiet) (void)os::write_all(STDERR_FILENO, display_safe(progress.text));
}

void PrintSink::tool_result(const event::ToolAnswer& result) {
  if (result.status != "success")
    note("  " + display_safe(result.status) + ": " + one_line(result.output, kArgumentCharacters));
  else if (options_.verbose)
    note("  " + one_line(result.output, kArgumentCharacters));
}

void PrintSink::automatic_user_prompt(const AutomaticUserPrompt& record) {
  note("you [automatic]: " + display_safe(record.text) + " (" + display_safe(record.reason) + ")");
}

void PrintSink::compaction(const CompactionRecord& record) {
  if (record.status != "completed") return;
  note("compacted (" + record.trigger + "): " + std::to_string(record.tokens_before.value_or(0)) + " -> " +
       std::to_string(record.tokens_after.value_or(0)) + " tokens, generation " +
       std::to_string(record.generation.value_or(0)));
}

void PrintSink::diagnostic(const DiagnosticRecord& record) {
  note("magi-code: " + display_safe(record.level) + ": " + display_safe(record.message));
}

void PrintSink::usage(const event::Usage&) {}
void PrintSink::approval_request(const ApprovalRequest&) {}
void PrintSink::delivered(const Delivered&) {}

void PrintSink::undelivered(const UserPrompt& prompt) {
  note("not sent, the turn ended first: " + one_line(prompt.text, kArgumentCharacters));
}

void PrintSink::result(const ResultRecord& record) {
  end_line();
  if (record.error) {
    const std::string line = "magi-code: " + display_safe(record.error->message) + "\n";
    (void)os::write_all(STDERR_FILENO, line);
  }
  // A session that could not be saved promises nothing.
  const bool unsaved = record.error && record.error->category == category_name(ErrorCode::kNoSpace);
  if (!resume_hint_.empty() && !unsaved) note("session " + record.session_id + "; resume with: " + resume_hint_);
}

}  // namespace magi::code
