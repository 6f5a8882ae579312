#include "tools/magi-code/loop/protection.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/context/protection.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/json/writer.h"
#include "tools/magi-code/stage/tool_router.h"

namespace magi::code {
namespace {

constexpr std::string_view kWebTools[] = {"open", "fetch"};
constexpr std::string_view kShellTools[] = {"bash", "bash_job"};
constexpr std::string_view kFileTools[] = {"read", "grep", "find", "list_files", "view_image"};

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// "a/./b/../c" as "a/c", without looking at the disk.
std::string plain_path(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string plain;
  for (const std::string_view part : parts) plain.append("/").append(part);
  return plain.empty() ? "/" : plain;
}

// "redact" whose spans cannot be applied becomes "withhold", which is how a replay would read it.
void keep_what_holds(event::ToolResultAssessment& assessment, const std::string& output) {
  if (assessment.verdict != "redact") {
    assessment.spans.json.clear();
    if (assessment.verdict != "allow") assessment.verdict = "withhold";
    return;
  }
  const std::string payload = event::payload_json(assessment);
  json::Parser parser;
  const auto root = parser.parse(payload);
  std::string quoted;
  json::append_quoted(quoted, output);
  const auto read = root ? context::read_assessment(*root) : context::Assessment{};
  context::Assessment whole = read;
  whole.complete = true;
  if (read.verdict == context::Verdict::kRedact &&
      context::project_protected(std::string_view(quoted).substr(1, quoted.size() - 2), &whole).redacted)
    return;
  assessment.verdict = "withhold";
  assessment.spans.json.clear();
}

std::string listed(const event::Raw& rules) {
  json::Parser parser;
  const auto root = parser.parse(rules.empty() ? std::string_view("[]") : std::string_view(rules.json));
  std::string text;
  constexpr std::size_t kMost = 200;
  if (root)
    for (const json::Node rule : root->elements())
      if (const auto name = rule.as_string(); name && text.size() < kMost)
        text.append(text.empty() ? "" : ", ").append(*name);
  return text;
}

// A list of texts, whatever the assessor wrote.
std::string warnings_json(const event::Raw& rules, std::string_view more) {
  std::string json;
  json::Writer out(json);
  out.begin_array();
  json::Parser parser;
  if (const auto root = parser.parse(rules.empty() ? std::string_view("[]") : std::string_view(rules.json)))
    for (const json::Node rule : root->elements())
      if (const auto name = rule.as_string()) out.string(*name);
  if (!more.empty()) out.string(more);
  out.end_array();
  return json;
}

}  // namespace

ProtectedTools::ProtectedTools(std::string_view tools, std::string root, std::vector<std::string> added)
    : folders_(std::move(added)) {
  folders_.push_back(std::move(root));
  while (!tools.empty()) {
    const std::size_t comma = std::min(tools.find(','), tools.size());
    std::string_view name = tools.substr(0, comma);
    tools.remove_prefix(std::min(comma + 1, tools.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "web")
      web_ = true;
    else if (name == "mcp")
      mcp_ = true;
    else if (name == "bash")
      bash_ = true;
    else if (name == "outside")
      outside_ = true;
    else if (name == "files")
      files_ = true;
    else if (name == "all")
      all_ = true;
    else if (!name.empty())
      names_.emplace_back(name);
  }
}

bool ProtectedTools::cover(const event::ToolCall& call) const {
  if (all_ || std::find(names_.begin(), names_.end(), call.name) != names_.end()) return true;
  if (web_ && is_one_of(kWebTools, call.name)) return true;
  if (mcp_ && call.name.starts_with(kMcpPrefix)) return true;
  if (bash_ && is_one_of(kShellTools, call.name)) return true;
  if (!is_one_of(kFileTools, call.name)) return false;
  return files_ || (outside_ && reaches_outside(call));
}

bool ProtectedTools::reaches_outside(const event::ToolCall& call) const {
  json::Parser parser;
  const auto arguments = parser.parse(call.arguments);
  if (!arguments) return false;
  const auto outside = [this](const json::Node& node) {
    const auto path = node.as_string();
    return path && !path->empty() && !is_inside(*path);
  };
  if (outside(arguments->find("path"))) return true;
  for (const json::Node path : arguments->find("paths").elements())
    if (outside(path)) return true;
  return false;
}

bool ProtectedTools::is_inside(std::string_view path) const {
  const std::string& root = folders_.back();
  const std::string plain = plain_path(path.starts_with('/') ? std::string(path) : root + "/" + std::string(path));
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
    const std::string_view top = folder == "/" ? std::string_view() : std::string_view(folder);
    return plain == folder || (plain.starts_with(top) && plain[top.size()] == '/');
  });
}

Protection::Protection(const config::ProtectionSettings& settings, ProtectedTools tools, Journal& journal,
                       AssessStage& assessor, Sink& sink)
    : settings_(settings), tools_(std::move(tools)), journal_(journal), assessor_(assessor), sink_(sink) {}

void Protection::before_store(const event::ToolCall& call, event::ToolResultEvent& result) {
  if (settings_.policy == "off" || result.output.empty() || !tools_.cover(call)) return;
  result.protection.json =
      enforces() ? R"({"state":"pending","enforcement":"enforce"})" : R"({"state":"pending","enforcement":"observe"})";
}

void Protection::after_store(const event::ToolCall& call, const event::ToolResultEvent& stored, Asker& asker,
                             std::function<void(Result<void>)> then) {
  if (stored.protection.empty()) return then({});
  open_ = Open{call, {}, stored.output, !stored.parts.empty(), std::move(then)};
  open_.assessment.result_id = stored.result_id;
  open_.assessment.call_id = stored.call_id;
  open_.assessment.session_id = journal_.session_id();
  open_.assessment.enforcement = enforces() ? "enforce" : "observe";
  open_.assessment.stored_sha256 = sha256_hex(stored.output);
  // Left as it is, pending: a replay withholds it where that is enforced.
  if (asker.cancelled()) return std::exchange(open_.then, nullptr)({});
  assessor_.assess({stored.result_id, settings_.policy, stored.output, {call.name, call.arguments}},
                   [this, &asker](Result<event::AssessmentAnswer> answer) { on_answer(std::move(answer), asker); });
}

void Protection::on_answer(Result<event::AssessmentAnswer> answer, Asker& asker) {
  if (!answer) {
    const bool told = std::exchange(failure_told_, true) && !enforces();
    if (answer.error().code != ErrorCode::kCancelled && !told)
      warn("the result of " + open_.call.name + " was not assessed: " + answer.error().what +
           (enforces() ? "; it is withheld" : ""));
    return std::exchange(open_.then, nullptr)({});
  }
  event::ToolResultAssessment& assessment = open_.assessment;
  assessment.verdict = answer->verdict;
  // No rule looks at pictures.
  assessment.coverage = answer->coverage == "complete" && !(open_.has_parts && enforces()) ? "complete" : "partial";
  assessment.spans = answer->spans;
  assessment.warnings.json = warnings_json(answer->rules, {});
  keep_what_holds(assessment, open_.output);
  const std::string rules = listed(answer->rules);
  const std::string why =
      "the result of " + open_.call.name + " looks like a prompt injection" + (rules.empty() ? "" : " (" + rules + ")");
  if (assessment.verdict == "allow") {
    if (enforces() && assessment.coverage != "complete")
      warn("the result of " + open_.call.name + " could not be assessed whole; it is withheld");
    return store();
  }
  if (settings_.policy == "ask") return ask(why, asker);
  warn(why + (!enforces()                      ? "; it is delivered as it is (protection.policy is warn)"
              : assessment.verdict == "redact" ? "; that part is left out"
                                               : "; it is withheld"));
  store();
}

void Protection::ask(const std::string& why, Asker& asker) {
  event::ToolResultAssessment& assessment = open_.assessment;
  assessment.verdict = "withhold";
  assessment.spans.json.clear();
  if (!asker.can_ask()) {
    warn(why + "; it is withheld, since nobody can be asked");
    return store();
  }
  ApprovalRequest request;
  request.call_id = open_.call.call_id;
  request.name = open_.call.name;
  request.arguments = open_.call.arguments;
  request.reason = why + "; show it to the model all the same?";
  request.kind = event::name::kResult;
  asker.ask(std::move(request), [this](const Approval& approval) {
    event::ToolResultAssessment& answered = open_.assessment;
    if (approval.allowed()) {
      answered.verdict = "allow";
      answered.coverage = "complete";
      answered.warnings.json = warnings_json(answered.warnings, "allowed by the user");
    }
    store();
  });
}

void Protection::store() {
  Entries entries;
  entries.add(open_.assessment);
  const auto durability = enforces() ? session::Durability::kRequired : session::Durability::kBestEffort;
  auto stored = journal_.append(std::move(entries), durability);
  const auto then = std::exchange(open_.then, nullptr);
  open_ = {};
  if (!stored) return then(stored.error());
  then({});
}

void Protection::warn(const std::string& text) { sink_.diagnostic({"warning", text, "protection"}); }

}  // namespace magi::code
