#include "tools/magi-code/hook/hooks.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/event/hook_event.h"
#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"
#include "tools/magi-code/permit/rule.h"

namespace magi::code {
namespace {

constexpr std::string_view kBeforeTool = "before_tool", kAfterTool = "after_tool", kAfterMessage = "after_message",
                           kSessionStart = "session_start", kSessionEnd = "session_end";
constexpr std::size_t kMostInputText = 64 * 1024;
constexpr std::size_t kMostReason = 4 * 1024, kMostContext = 32 * 1024;
constexpr int kRefuses = 2;

std::string clipped(std::string_view text, std::size_t most) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(0, utf8::floor_boundary(text, most)));
}

std::string_view outcome_of(const HookEnd& ended) {
  switch (ended.how) {
    case HookEnd::How::kTimedOut: return "timed_out";
    case HookEnd::How::kCancelled: return "cancelled";
    case HookEnd::How::kExited: return ended.status == 0 ? "passed" : "failed";
    default: return "failed";
  }
}

// The fields that every call has.
void add_call(std::string& input, const event::ToolCall& call) {
  input += ",\"call_id\":";
  json::Writer(input).string(call.call_id);
  input += ",\"name\":";
  json::Writer(input).string(call.name);
  input += ",\"arguments\":";
  json::Parser parser;
  // As an object where it is one; what the model wrote may be anything.
  if (const auto root = parser.parse(call.arguments); root && root->is(json::Kind::kObject))
    input += call.arguments;
  else
    json::Writer(input).string(call.arguments);
}

void add_text(std::string& input, std::string_view key, std::string_view text) {
  input.append(",\"").append(key).append("\":");
  json::Writer(input).string(text.substr(0, utf8::floor_boundary(text, kMostInputText)));
}

}  // namespace

Hooks::Hooks(EventLoop& loop, HookSetup setup, Journal& journal)
    : setup_(std::move(setup)), journal_(journal), process_(loop) {
  for (auto& hook : setup_.hooks)
    if (hook.second.enabled) hooks_.emplace_back(hook.first, std::move(hook.second));
}

std::vector<const Hooks::Named*> Hooks::matching(std::string_view event, std::string_view tool) const {
  std::vector<const Named*> found;
  for (const Named& hook : hooks_) {
    const auto& tools = hook.second.tools;
    const auto is_for = [&](const std::string& pattern) { return permit::text_matches(pattern, tool); };
    if (hook.second.event == event && (tools.empty() || std::any_of(tools.begin(), tools.end(), is_for)))
      found.push_back(&hook);
  }
  return found;
}

std::string Hooks::input_of(std::string_view event) const {
  std::string input = "{\"event\":\"" + std::string(event) + "\",\"session_id\":";
  json::Writer(input).string(journal_.session_id());
  input += ",\"cwd\":";
  json::Writer(input).string(setup_.cwd);
  return input;
}

void Hooks::before_call(const event::ToolCall& call, std::function<void(Before)> then) {
  auto hooks = matching(kBeforeTool, call.name);
  if (hooks.empty()) return then({});
  std::string input = input_of(kBeforeTool);
  add_call(input, call);
  add({std::string(kBeforeTool), input + "}\n", std::move(hooks), call.call_id, call.turn_id, std::move(then)});
}

void Hooks::after_call(const event::ToolCall& call, event::ToolAnswer& answer, std::function<void(Before)> then) {
  auto hooks = matching(kAfterTool, call.name);
  if (hooks.empty()) return then({});
  std::string input = input_of(kAfterTool);
  add_call(input, call);
  add_text(input, "status", answer.status);
  add_text(input, "output", answer.output);
  add({std::string(kAfterTool), input + "}\n", std::move(hooks), call.call_id, call.turn_id, std::move(then)});
}

void Hooks::session_start() {
  if (auto hooks = matching(kSessionStart, {}); !hooks.empty())
    add({std::string(kSessionStart), input_of(kSessionStart) + "}\n", std::move(hooks), {}, {}, {}});
}

void Hooks::after_message(std::string_view text) {
  auto hooks = matching(kAfterMessage, {});
  if (hooks.empty()) return;
  std::string input = input_of(kAfterMessage);
  add_text(input, "text", text);
  add({std::string(kAfterMessage), input + "}\n", std::move(hooks), {}, {}, {}});
}

void Hooks::session_end(std::string_view status) {
  auto hooks = matching(kSessionEnd, {});
  if (hooks.empty()) return;
  std::string input = input_of(kSessionEnd);
  add_text(input, "status", status);
  add({std::string(kSessionEnd), input + "}\n", std::move(hooks), {}, {}, {}});
}

void Hooks::add(Job job) {
  jobs_.push_back(std::move(job));
  if (jobs_.size() == 1) run_next();
}

// The call that waits may stand behind hooks that nobody waits for: what runs of those is ended too.
void Hooks::cancel() {
  for (Job& job : jobs_)
    if (job.then) job.cancelled = true;
  process_.cancel();
}

void Hooks::run_next() {
  Job& job = jobs_.front();
  if (job.cancelled || job.said.refusal || job.at == job.hooks.size()) return finish_job();
  const config::HookSettings& hook = job.hooks[job.at]->second;
  record(*job.hooks[job.at], "started");
  Command command;
  command.env = setup_.environment;
  command.cwd = setup_.cwd;
  if (hook.argv.empty()) {
    command.program = setup_.shell;
    command.args = {"-c", hook.command};
  } else {
    command.program = hook.argv.front();
    command.args.assign(hook.argv.begin() + 1, hook.argv.end());
  }
  process_.start(command, job.input, static_cast<int>(hook.timeout_ms),
                 [this](HookEnd ended) { on_end(std::move(ended)); });
}

void Hooks::finish_job() {
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  if (job.then)
    job.then(std::move(job.said));
  else if (!job.said.context.empty())
    contexts_.emplace_back(std::move(job.said.context_source), std::move(job.said.context));
  if (!jobs_.empty() && !process_.running()) run_next();
}

void Hooks::on_end(HookEnd ended) {
  Job& job = jobs_.front();
  const Named& hook = *job.hooks[job.at];
  failed_ = false;
  const bool refuses = ended.how == HookEnd::How::kExited && ended.status == kRefuses && job.event == kBeforeTool;
  if (refuses) {
    const std::string reason = clipped(ended.errors, kMostReason);
    job.said.refusal =
        "refused by the hook " + hook.first + (reason.empty() ? std::string(", which gave no reason") : ": " + reason);
  } else if (ended.how == HookEnd::How::kExited && ended.status == 0) {
    take_word(hook, ended.output);
  } else if (ended.how == HookEnd::How::kTimedOut) {
    fail(hook, "took longer than " + std::to_string(hook.second.timeout_ms) + " ms and was killed");
  } else if (ended.how == HookEnd::How::kFlooded) {
    fail(hook, "wrote more than 64 KiB and was killed");
  } else if (ended.how == HookEnd::How::kNotStarted) {
    fail(hook, "cannot be started: " + ended.why);
  } else if (ended.how == HookEnd::How::kExited) {
    fail(hook, "ended with status " + std::to_string(ended.status));
  }
  const std::string_view outcome = refuses || (job.said.refusal && !failed_) ? "refused" : outcome_of(ended);
  record(hook, failed_ && outcome == "passed" ? "failed" : outcome, &ended);
  ++job.at;
  run_next();
}

// What does not end well refuses the call that it was to guard: it may have been the one to say no.
void Hooks::fail(const Named& hook, const std::string& why) {
  failed_ = true;
  Job& job = jobs_.front();
  const bool blocks = job.event == kBeforeTool && hook.second.blocking;
  if (blocks) job.said.refusal = "not run: the hook " + hook.first + ", which must pass before it, " + why;
  event::HookDiagnostic diagnostic{job.event, hook.first, why, job.call_id, job.turn_id, blocks};
  unstored_.add(diagnostic);
  if (sink_) sink_->diagnostic({"warning", "hook " + hook.first + " " + why, "hook"});
}

void Hooks::take_word(const Named& hook, const std::string& output) {
  if (output.find_first_not_of(" \t\r\n") == std::string::npos) return;
  Job& job = jobs_.front();
  json::Parser parser;
  const auto root = parser.parse(output);
  if (!root || !root->is(json::Kind::kObject)) return fail(hook, "wrote something other than one JSON object");
  const auto text = [&](std::string_view key) { return root->find(key).as_string().value_or(""); };
  if (const std::string context = clipped(text("context"), kMostContext); !context.empty()) {
    job.said.context += (job.said.context.empty() ? "" : "\n") + context;
    job.said.context_source = hook.first;
  }
  const std::string decision = text("decision");
  if (decision.empty() || decision == "allow") return;
  if (decision != "deny") return fail(hook, "gave a decision other than allow and deny");
  if (job.event != kBeforeTool) return fail(hook, "refused where nothing can be refused");
  job.said.refusal = "refused by the hook " + hook.first + ": " + clipped(text("reason"), kMostReason);
}

void Hooks::record(const Named& hook, std::string_view outcome, const HookEnd* ended) {
  const Job& job = jobs_.front();
  event::HookLifecycle lifecycle{job.event, hook.first, std::string(outcome), job.call_id, job.turn_id, {}, {}};
  if (ended && ended->how == HookEnd::How::kExited) lifecycle.exit_status = ended->status;
  if (ended) lifecycle.duration_ms = ended->duration_ms;
  unstored_.add(lifecycle);
  flush();
}

// A session begins with its first input; what ran before is stored behind that.
void Hooks::flush() {
  const session::Writer* const writer = journal_.writer();
  if (unstored_.empty() || (writer && !writer->exists())) return;
  (void)journal_.append(std::exchange(unstored_, {}), session::Durability::kBestEffort);
}

}  // namespace magi::code
