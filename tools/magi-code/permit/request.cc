#include "tools/magi-code/permit/request.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"

namespace magi::code::permit {
namespace {

constexpr std::size_t kMostDiffBytes = 16 * 1024;

Subject::Kind kind_of(std::string_view name, bool unconfined) {
  if (name == "command") return unconfined ? Subject::Kind::kUnconfined : Subject::Kind::kCommand;
  if (name == "write") return Subject::Kind::kWrite;
  if (name == "read") return Subject::Kind::kRead;
  if (name == "web") return Subject::Kind::kWeb;
  return Subject::Kind::kTool;
}

void add_lines(std::string& diff, char mark, std::string_view text) {
  while (!text.empty() && diff.size() <= kMostDiffBytes) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ((diff += mark) += text.substr(0, end)) += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void add_edit(std::string& diff, const json::Node& edit) {
  add_lines(diff, '-', edit.find("old_text").as_string().value_or(""));
  add_lines(diff, '+', edit.find("new_text").as_string().value_or(""));
}

// The change as far as the arguments say it: exact for edits, the new content for a write, the patch as it came.
std::string diff_of(const json::Node& arguments) {
  std::string diff;
  if (arguments.find("old_text")) add_edit(diff, arguments);
  for (const json::Node edit : arguments.find("edits").elements()) add_edit(diff, edit);
  if (const auto content = arguments.find("content").as_string()) add_lines(diff, '+', *content);
  if (const auto patch = arguments.find("patch").as_string()) diff += *patch;
  if (diff.size() <= kMostDiffBytes) return diff;
  diff.resize(utf8::floor_boundary(diff, kMostDiffBytes));
  return diff + "\n ... (cut here)\n";
}

}  // namespace

std::optional<Wanted> wanted_approval(const event::ToolCall& call, const event::ToolAnswer& answer,
                                      std::string_view root) {
  if (answer.details.empty()) return std::nullopt;
  json::Parser parser, arguments_parser;
  const auto details = parser.parse(answer.details.json);
  const auto reason = details ? details->find("needs_approval").as_string() : std::nullopt;
  if (!reason) return std::nullopt;
  const json::Node told = details->find("approval");
  const bool unconfined = told.find("unconfined").as_bool().value_or(false);
  Wanted wanted;
  Subject& subject = wanted.subject;
  ApprovalRequest& request = wanted.request;
  request.call_id = call.call_id;
  request.name = call.name;
  request.arguments = call.arguments;
  request.reason = *reason;
  request.cwd = root;
  request.kind = told.find("kind").as_string().value_or(call.name.starts_with("mcp__") ? "mcp" : "tool");
  subject.kind = kind_of(request.kind, unconfined);
  subject.tool = call.name;
  subject.what = told.find("subject").as_string().value_or(call.arguments);
  switch (subject.kind) {
    case Subject::Kind::kCommand:
    case Subject::Kind::kUnconfined:
      request.command = subject.what;
      request.confinement = told.find("confinement").as_string().value_or("");
      request.unconfined = told.find("runs_unconfined").as_bool().value_or(unconfined);
      break;
    case Subject::Kind::kWrite:
      request.path = subject.what;
      if (const auto arguments = arguments_parser.parse(call.arguments)) request.diff = diff_of(*arguments);
      break;
    case Subject::Kind::kRead: request.path = subject.what; break;
    case Subject::Kind::kWeb: request.host = subject.what; break;
    case Subject::Kind::kTool: break;
  }
  request.pattern = suggested_rule(subject, root);
  request.instead = request.pattern.empty() ? "--permissions full" : "--allow " + shell_quoted(request.pattern);
  return wanted;
}

std::string refusal_text(const event::ToolAnswer& answer, const ApprovalRequest& request) {
  std::string text = answer.output;
  while (text.ends_with('\n')) text.pop_back();
  return text + " Nobody can be asked in this run; the user can allow it with " + request.instead + ".";
}

Result<Approval> approval_of(std::string_view decision, std::string pattern, std::string reason) {
  Approval approval;
  approval.pattern = std::move(pattern);
  approval.reason = std::move(reason);
  if (decision == "allow")
    approval.decision = Approval::Decision::kAllow;
  else if (decision == "allow_session")
    approval.decision = Approval::Decision::kAllowSession;
  else if (decision == "allow_pattern")
    approval.decision = Approval::Decision::kAllowPattern;
  else if (decision != "deny")
    return make_error(ErrorCode::kUsage, "decision must be allow, allow_session, allow_pattern or deny");
  return approval;
}

}  // namespace magi::code::permit
