#include "tools/magi-provider/claude/claude_answerer.h"

#include <algorithm>

#include "libcommon/base/clock.h"
#include "libcommon/json/writer.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// One argument of a program may have 128 KiB.
constexpr std::size_t kMaxArgumentBytes = 100 * 1024;

}  // namespace

Result<ClaudeOptions> claude_options(const config::Settings& settings, const config::Environment& environment,
                                     const config::ProviderChoice& choice, const TimeLimits& limits) {
  ClaudeOptions options;
  const auto program = os::find_executable("claude", environment.get_or("PATH", ""));
  if (!program) return make_error(ErrorCode::kConfig, "no claude is installed");
  options.program = *program;
  options.provider = choice.id;
  options.model = choice.model;
  options.env = claude_environment(settings, environment);
  options.limits = limits;
  return options;
}

std::vector<std::string> claude_arguments(const ClaudeRequest& request, std::string_view model) {
  std::vector<std::string> args{
      "-p",        "--output-format",           "stream-json", "--input-format", "stream-json",
      "--verbose", "--include-partial-messages"};
  const auto add = [&](std::string_view option, std::string value) {
    args.emplace_back(option);
    args.push_back(std::move(value));
  };
  add("--model", std::string(model));
  // Nothing of its own: no tools, no servers, no settings, no hooks, no session file, no questions.
  add("--tools", "");
  args.insert(args.end(), {"--strict-mcp-config", "--setting-sources=", "--no-session-persistence"});
  add("--permission-mode", "dontAsk");
  if (const std::string effort = request.effort(); !effort.empty()) add("--effort", effort);
  if (request.has_tools()) {
    const std::string name(kClaudeServer);
    add("--mcp-config", "{\"mcpServers\":{\"" + name + "\":{\"type\":\"sdk\",\"name\":\"" + name + "\"}}}");
    add("--allowedTools", "mcp__" + name);
  }
  std::string prompt = request.system_prompt();
  if (prompt.size() <= kMaxArgumentBytes)
    add("--system-prompt", std::move(prompt));
  else
    add("--system-prompt-file", "/dev/fd/3");
  return args;
}

std::unique_ptr<RequestMapper> ClaudeAnswerer::new_mapper() const {
  return std::make_unique<ClaudeRequest>(MapperOptions{options_.provider, {}});
}

void ClaudeAnswerer::begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) {
  request_.reset(static_cast<ClaudeRequest*>(mapper.release()));
  out_ = &out;
  model_ = request_->requested_model();
  if (model_.empty()) model_ = options_.model;
  failure_text_.clear();
  retries_ = 0;
  started_ns_ = monotonic_ns();
  event::Attempt attempt;
  attempt.model = model_;
  out.record(std::move(attempt));
  if (logged_in_) return start_claude();
  auto check = ClaudeLoginCheck::start(options_.program, options_.env);
  if (!check) return fail(Failure{FailureKind::kConfig, check.error().what, {}, {}, {}, {}});
  check_ = *std::move(check);
  phase_ = Phase::kChecking;
}

void ClaudeAnswerer::step() {
  if (phase_ == Phase::kChecking) step_checking();
  if (phase_ == Phase::kAnswering) step_answering();
}

void ClaudeAnswerer::step_checking() {
  const auto login = check_->step();
  if (!login) return;
  check_.reset();
  if (!login->problem.empty()) return fail(Failure{FailureKind::kConfig, login->problem, {}, {}, {}, {}});
  if (!login->logged_in)
    return fail(Failure{FailureKind::kConfig, "claude is not logged in\nlog in: claude auth login", {}, {}, {}, {}});
  logged_in_ = true;
  start_claude();
}

void ClaudeAnswerer::start_claude() {
  ClaudeProcess::Start start;
  start.program = options_.program;
  start.args = claude_arguments(*request_, model_);
  start.env = options_.env;
  if (start.args.back() == "/dev/fd/3") start.long_prompt = request_->system_prompt();
  auto process = ClaudeProcess::start(start);
  if (!process) return fail(Failure{FailureKind::kConfig, process.error().what, {}, {}, {}, {}});
  process_ = *std::move(process);
  reader_.emplace(*out_, request_->claude_context(), request_->tools_json());
  process_->send(ClaudeReader::opening());
  asked_ = false;
  phase_ = Phase::kAnswering;
  deadline_ns_ = monotonic_ns() + options_.limits.idle_ms * kNsPerMs;
}

void ClaudeAnswerer::step_answering() {
  if (process_->step()) deadline_ns_ = monotonic_ns() + options_.limits.idle_ms * kNsPerMs;
  take_lines();
  if (reader_->outcome()) return settle();
  if (process_->at_end()) {
    reader_->end_of_output(process_->exit_status(), process_->complaint());
    return settle();
  }
  if (monotonic_ns() >= deadline_ns_)
    fail(Failure{FailureKind::kTimeout, "claude fell silent; `claude` by itself may say why", {}, {}, {}, {}});
}

void ClaudeAnswerer::take_lines() {
  while (const auto line = process_->next_line()) {
    reader_->take_line(*line);
    process_->send(reader_->take_replies());
    if (reader_->is_open() && !asked_) {
      asked_ = true;
      const Body body = request_->take_body(model_);
      for (const std::string& piece : body.pieces()) process_->send(piece);
    }
    const std::string why = reader_->take_retry();
    if (why.empty() || out_->accepted()) continue;
    event::Attempt attempt;
    attempt.number = ++retries_ + 1;
    attempt.model = model_;
    attempt.reason = why;
    out_->record(std::move(attempt));
    notice_ = why + "; claude tries again";
  }
  process_->write_pending();
}

void ClaudeAnswerer::settle() {
  const Outcome outcome = *reader_->outcome();
  if (outcome.failure) return fail(*outcome.failure);
  finish(AnswerEnd::kDone, "completed");
  write_done(*out_, "completed", outcome.stop_reason);
}

void ClaudeAnswerer::fail(Failure failure) {
  failure_text_ = options_.provider + ": " + failure.message;
  finish(failure.kind == FailureKind::kConfig ? AnswerEnd::kMisconfigured : AnswerEnd::kFailed, category(failure.kind));
  if (failure.kind == FailureKind::kAuth) logged_in_ = false;
  write_error(*out_, failure);
}

// Writes what stands before the last record, and ends the process: it keeps nothing that is worth waiting for.
void ClaudeAnswerer::finish(AnswerEnd end, std::string_view outcome) {
  event::Trace trace;
  json::Writer out(trace.attempts.json);
  out.begin_array().begin_object().key("number").integer(retries_ + 1).key("outcome").string(outcome);
  out.key("model").string(model_);
  if (reader_) {
    if (const auto& usage = reader_->messages().usage()) out_->record(*usage);
    const std::string& reported = reader_->messages().reported_model();
    if (!reported.empty()) out.key("reported_model").string(one_line(reported));
  }
  out.key("duration_ms").integer((monotonic_ns() - started_ns_) / kNsPerMs).end_object().end_array();
  out_->record(std::move(trace));
  end_ = end;
  check_.reset();
  process_.reset();
  reader_.reset();
  request_.reset();
  phase_ = Phase::kIdle;
}

void ClaudeAnswerer::cancel() {
  if (!busy()) return;
  finish(AnswerEnd::kCancelled, "cancelled");
  write_done(*out_, "cancelled", {});
}

void ClaudeAnswerer::wait(std::span<const int> readable, int watched) {
  std::vector<pollfd> states;
  for (const int fd : readable) states.push_back({fd, POLLIN, 0});
  states.push_back({watched, 0, 0});
  std::int64_t timeout_ms = -1;
  if (check_) check_->watch(states);
  if (process_) process_->watch(states);
  if (phase_ != Phase::kIdle) {
    const std::int64_t until_ns = check_ ? check_->deadline_ns() : deadline_ns_;
    timeout_ms = std::clamp<std::int64_t>((until_ns - monotonic_ns() + kNsPerMs - 1) / kNsPerMs, 0, 60'000);
  }
  ::poll(states.data(), states.size(), static_cast<int>(timeout_ms));
}

}  // namespace magi::provider
