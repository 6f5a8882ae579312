#include "tools/magi-code/loop/run.h"

#include <random>

#include "libcommon/base/utf8.h"
#include "libcommon/event/hook_event.h"
#include "libcommon/session/mask.h"
#include "tools/magi-code/loop/recovery_note.h"
#include "tools/magi-code/loop/title.h"

namespace magi::code {
namespace {

constexpr std::string_view kContinue = "Continue", kUserOrigin = "user", kSteeringOrigin = "steering";

std::string random_id() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::random_device device;
  std::string id;
  for (int i = 0; i < 2; ++i)
    for (std::uint32_t bits = device(), n = 0; n < 8; ++n, bits >>= 4) id += kHex[bits & 15];
  return id;
}

int exit_status_of(std::string_view category) {
  if (category == category_name(ErrorCode::kConfig) || category == category_name(ErrorCode::kUsage)) return kExitUsage;
  if (category == category_name(ErrorCode::kLimit)) return kExitLimit;
  if (category == category_name(ErrorCode::kBusy)) return kExitBusy;
  return kExitFailed;
}

event::ErrorInfo info_of(const Error& error) { return {std::string(category_name(error.code)), error.what}; }

}  // namespace

event::Request request_of(const RunSettings& settings) {
  event::Request request;
  request.instructions = settings.instructions;
  request.tools.json = settings.tools_json;
  return request;
}

Run::Run(RunParts parts, RunSettings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      run_id_(random_id()),
      policy_({settings_.max_compactions, settings_.preferences.provider, settings_.preferences.model}),
      calibration_(UsageCalibration::applies_to(settings_.preferences.provider)),
      call_ids_(settings_.known_call_ids.begin(), settings_.known_call_ids.end()) {}

void Run::start(UserPrompt prompt, std::function<void(Outcome)> on_end) {
  on_end_ = std::move(on_end);
  requests_of_input_ = 0;
  continued_ = cancelled_ = false;
  cancel_reason_.reset();
  earlier_text_.clear();
  secret_was_cut_ = false;
  text_before_tools_.clear();
  state_ = State::kRequesting;
  policy_.begin_run();
  wanted_.reset();
  begin_turn();
  input_ = std::move(prompt);
  settle_tags(*input_);
  check_input();
}

void Run::store_input() {
  UserPrompt prompt = *std::exchange(input_, std::nullopt);
  if (auto appended = append_input(prompt); !appended)
    return parts_.loop.post([this, error = appended.error()] { fail(error); });
  send_request();
}

void Run::begin_turn() {
  turn_id_ = run_id_ + "-" + std::to_string(++turn_number_);
  turn_ = TurnState::kAnnounced;
  told_due_ = false;
  answer_ = Answer();
  parts_.sink.turn({turn_id_, "started"});
}

// Once for each input: what is counted is what is stored and sent.
void Run::settle_tags(UserPrompt& prompt) {
  if (std::exchange(prompt.tags_settled, true) || !settings_.expand_tags || is_child()) return;
  if (prompt.origin == kUserOrigin || prompt.origin == kSteeringOrigin) settings_.expand_tags(prompt);
}

Result<void> Run::append_input(UserPrompt& prompt) {
  settle_tags(prompt);
  event::UserInput input{turn_id_, prompt.text, prompt.expanded, prompt.origin, {}, prompt.parts, {}};
  Entries entries;
  if (!preferences_recorded_) {
    event::SessionPreferences preferences = settings_.preferences;
    entries.add(preferences);
  }
  // A new session is called by its first prompt until something better is known.
  if (const session::Writer* writer = parts_.journal.writer(); writer && !writer->exists()) {
    event::SessionTitle title{title_of(prompt.text)};
    if (!title.title.empty()) entries.add(title);
  }
  entries.add(input);
  const std::size_t at = entries.size() - 1;
  if (settings_.take_contexts)
    for (auto& [source, text] : settings_.take_contexts()) {
      event::HookContextInjection context{std::move(text), std::move(source), turn_id_};
      entries.add(context);
    }
  MAGI_TRY(const std::vector<std::string> ids,
           parts_.journal.append(std::move(entries), session::Durability::kRequired));
  preferences_recorded_ = true;
  turn_ = TurnState::kStored;
  parts_.sink.delivered({prompt.action_id, {}, {}, ids[at], {}});
  return {};
}

// Appends what waits; false when an append failed and the run has been ended.
bool Run::deliver_steering() {
  auto waiting = steering_.take();
  while (!waiting.empty()) {
    if (auto appended = append_input(waiting.front()); !appended) {
      // What may have been stored must not be given back as if it had not been.
      if (session::Writer* writer = parts_.journal.writer(); writer && writer->is_uncertain()) waiting.pop_front();
      steering_.restore(std::move(waiting));
      fail(appended.error());
      return false;
    }
    waiting.pop_front();
  }
  return true;
}

std::optional<Error> Run::reached_limit() const {
  const std::int64_t used = usage_.input_tokens + usage_.output_tokens;
  if (settings_.max_requests > 0 && requests_of_input_ >= settings_.max_requests)
    return make_error(ErrorCode::kLimit, "stopped after ", std::to_string(requests_of_input_),
                      " model requests (--max-turns)");
  if (settings_.max_tokens_total > 0 && used >= settings_.max_tokens_total)
    return make_error(ErrorCode::kLimit, "stopped after ", std::to_string(used), " tokens (--max-tokens-total)");
  return std::nullopt;
}

void Run::send_request(std::string_view continuation) {
  state_ = State::kRequesting;
  answer_ = Answer();
  answer_usage_.clear();
  answer_trace_ = {};
  if (cancelled_) return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  if (const auto limit = reached_limit()) return fail(*limit);
  state_ = State::kRecalling;
  parts_.memory.refresh([this, continuation = std::string(continuation)](Result<std::vector<std::string>> call_ids) {
    if (!call_ids) return fail(call_ids.error());
    call_ids_.insert(call_ids->begin(), call_ids->end());
    send_known(continuation);
  });
}

event::Request Run::next_request() const {
  event::Request request = request_of(settings_);
  request.request_sequence = request_sequence_ + 1;
  request.request_id = run_id_ + "-r" + std::to_string(request.request_sequence);
  request.session_id = parts_.journal.session_id();
  request.thread_id = request.session_id.empty() ? run_id_ : request.session_id;
  request.run_id = run_id_;
  request.turn_id = turn_id_;
  return request;
}

void Run::send_known(std::string_view continuation) {
  state_ = State::kRequesting;
  const event::Request request = next_request();
  ++requests_of_input_;
  ++request_sequence_;
  auto stream = parts_.journal.request(request, continuation);
  if (!stream) return fail(stream.error());
  auto shared = std::make_shared<const std::string>(*std::move(stream));
  if (const auto known = projected_.take(*shared)) return send(*known, request.request_id, shared);
  state_ = State::kCounting;
  parts_.tokens.check(shared,
                      [this, shared, id = request.request_id](const Verdict& verdict) { send(verdict, id, shared); });
}

// The last gate: what is above the budget is not sent (A6).
void Run::send(const Verdict& verdict, const std::string& request_id, std::shared_ptr<const std::string> stream) {
  if (verdict.kind == Verdict::Kind::kUnknown)
    parts_.sink.diagnostic({"warning", "the request was not counted: " + verdict.reason, "context"});
  const Projection next = projection_of(verdict, stream->size());
  if (next.over) return fail(make_error(ErrorCode::kLimit, policy_.refusal(next, is_child())));
  if (verdict.report) parts_.sink.context(*verdict.report);
  calibration_.sent(verdict.report ? std::optional(verdict.report->total) : std::nullopt);
  state_ = State::kRequesting;
  parts_.provider.ask(request_id, std::move(stream), [this](const ProviderRecord& record) { on_record(record); });
}

void Run::on_record(const ProviderRecord& record) {
  if (const auto* text = std::get_if<event::Text>(&record)) return on_text(*text);
  if (const auto* reasoning = std::get_if<event::Reasoning>(&record)) return parts_.sink.reasoning(reasoning->text);
  if (const auto* progress = std::get_if<event::ToolProgress>(&record)) return on_tool_progress(*progress);
  if (const auto* call = std::get_if<event::ToolCall>(&record)) return on_call(*call);
  if (const auto* item = std::get_if<event::ProviderItem>(&record)) return answer_.add(*item);
  if (const auto* usage = std::get_if<event::Usage>(&record)) return on_usage(*usage);
  if (const auto* trace = std::get_if<event::Trace>(&record)) {
    answer_trace_ = *trace;
    return;
  }
  if (const auto* attempt = std::get_if<event::Attempt>(&record)) {
    if (!attempt->model.empty()) provider_model_ = attempt->model;
    return parts_.sink.attempt(*attempt);
  }
  if (const auto* done = std::get_if<event::Done>(&record)) return on_done(*done);
  on_error(std::get<event::ProviderError>(record));
}

void Run::on_text(const event::Text& text) {
  if (cancelled_) return;
  if (const auto shown = parts_.sink.text(text.text); !shown)
    return cancel(make_error(shown.error().code, "cannot write the answer: ", shown.error().what));
  answer_.add_text(text.text);
}

// The host starts while the arguments still stream.
void Run::on_tool_progress(const event::ToolProgress& progress) {
  answer_.saw_tool_progress(progress.call_id, progress.name);
  parts_.tools.prepare();
}

// A call is what the model said and no more: what a record of ours may hold besides (an approval, a parent) is not the
// provider's to give.  Call IDs are unique in a session; some servers count from zero in every answer.
void Run::on_call(const event::ToolCall& said) {
  if (cancelled_) return;
  answer_.saw_whole_call(said.call_id);
  event::ToolCall call;
  call.call_id = said.call_id;
  for (int n = 2; !call_ids_.insert(call.call_id).second; ++n)
    call.call_id = said.call_id + "-" + turn_id_.substr(0, 4) + std::to_string(n);
  call.name = said.name;
  call.arguments = said.arguments;
  call.turn_id = turn_id_;
  parts_.sink.tool_call(call);
  answer_.add(std::move(call));
}

void Run::on_usage(const event::Usage& usage) {
  answer_usage_.push_back(usage);
  calibration_.reported(usage.input_tokens);
  ++usage_.requests;
  usage_.input_tokens += usage.input_tokens;
  usage_.output_tokens += usage.output_tokens;
  usage_.cached_tokens += usage.cached_tokens.value_or(0);
  usage_.cache_write_tokens += usage.cache_write_tokens.value_or(0);
  usage_.reasoning_tokens += usage.reasoning_tokens.value_or(0);
  parts_.sink.usage(usage);
}

void Run::on_done(const event::Done& done) {
  if (cancelled_ || done.status == "cancelled") return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  if (done.stop_reason == "max_tokens")
    parts_.sink.diagnostic({"warning", "the answer was cut at the model's output limit", "output_limit"});
  if (answer_.cut_calls().empty())
    cut_answers_ = 0;
  else if (!take_cut_calls("its arguments were cut at the output limit"))
    return end_unfinished("failed", event::ErrorInfo{"truncated", "the model's calls were cut again and again"},
                          kExitFailed);
  settle_answer();
}

void Run::settle_answer() {
  // The tools get the calls as the model made them; what is stored, and what the model sees again, is masked.
  calls_ = answer_.calls();
  Entries entries;
  record_segments(entries, "completed");
  record_accounting(entries);
  if (auto note = recovery_note(answer_trace_.attempts, turn_id_)) {
    entries.add(*note);
    parts_.sink.diagnostic({note->level, note->message, note->category});
  }
  if (calls_.empty()) return complete(std::move(entries));
  if (auto stored = parts_.journal.append(std::move(entries), session::Durability::kRequired); !stored)
    return fail(stored.error());
  answered_calls_ = 0;
  next_call();
}

void Run::complete(Entries entries) {
  const std::string text = earlier_text_ + answer_.text();
  auto further = parts_.decisions.before_completion(text);
  if (further && further->empty()) further.reset();
  if (!further) {
    event::TurnStatus status{turn_id_, "completed", {}, {}, {}};
    entries.add(status);
  }
  if (auto stored = parts_.journal.append(std::move(entries), session::Durability::kRequired); !stored)
    return fail(stored.error());
  text_before_tools_ = text;
  answer_ = Answer();
  answer_usage_.clear();
  answer_trace_ = {};
  earlier_text_.clear();
  if (further) {
    steering_.push({*std::move(further), {}, "steering", {}, {}});
    return settle_boundary(Boundary::kTools);
  }
  turn_ = TurnState::kNone;
  parts_.sink.turn({turn_id_, "completed"});
  settle_boundary(Boundary::kTurnEnd);
}

// A call that began and never came whole is not run; that the model may send it again, its result says so.  False when
// that has not helped.
bool Run::take_cut_calls(std::string_view why) {
  constexpr int kMostInARow = 3;
  if (++cut_answers_ > kMostInARow) return false;
  const std::vector<event::ToolCall> cut = answer_.cut_calls();
  for (const event::ToolCall& call : cut) {
    on_call(call);
    cut_calls_[answer_.calls().back().call_id] =
        "not run: " + std::string(why) + "; send it again whole, in smaller pieces if it is long";
  }
  return true;
}

void Run::on_error(const event::ProviderError& error) {
  if (cancelled_) return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  if (error.category == "truncated" && !answer_.cut_calls().empty() && take_cut_calls(error.message))
    return settle_answer();
  if (error.category == "context_overflow" && answer_.empty() && policy_.may_recover(can_compact())) {
    policy_.note_recovery();
    return compact({"automatic", {}}, [this] { resume_compacted(Boundary::kTools); });
  }
  if (error.retryable && !continued_ && answer_.is_recoverable()) return continue_after_cut(error);
  end_unfinished("failed", event::ErrorInfo{error.category, error.message}, exit_status_of(error.category));
}

// R16, R17: the partial text is stored as what it is; `Continue` is sent once and never stored.
void Run::continue_after_cut(const event::ProviderError& error) {
  continued_ = true;
  Entries entries;
  record_segments(entries, "failed");
  record_accounting(entries);
  if (auto stored = parts_.journal.append(std::move(entries), session::Durability::kRequired); !stored)
    return fail(stored.error());
  earlier_text_ += answer_.text();
  parts_.sink.automatic_user_prompt({"incomplete stream: " + error.message, std::string(kContinue)});
  send_request(kContinue);
}

void Run::cancel(std::optional<Error> error) {
  if (!active() || cancelled_) return;
  cancelled_ = true;
  cancel_reason_ = std::move(error);
  if (state_ == State::kRecalling) {
    parts_.memory.cancel();
    return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  }
  if (state_ == State::kCounting) {
    parts_.tokens.cancel();
    return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  }
  if (state_ == State::kCompacting) return parts_.compactor.cancel();
  if (state_ == State::kRequesting) return parts_.provider.cancel();
  if (state_ == State::kTools) return parts_.tools.cancel();
  if (state_ == State::kApproval) {
    const auto asked = std::exchange(asked_, std::nullopt);
    return asked->then({Approval::Decision::kDeny, {}, {}, false});
  }
  parts_.guards[guard_]->cancel();
}

void Run::fail(const Error& error) { end_unfinished("failed", info_of(error), exit_status(error.code)); }

// A turn that ends otherwise than completed: what was accepted stays in the session and in what the model sees (R2).
void Run::end_unfinished(std::string_view status, std::optional<event::ErrorInfo> error, int exit_code) {
  if (cancel_reason_) {
    error = info_of(*cancel_reason_);
    exit_code = exit_status(cancel_reason_->code);
  }
  input_.reset();
  if (turn_ != TurnState::kStored) {
    // There is no turn to end in the session.
    if (turn_ == TurnState::kAnnounced) parts_.sink.turn({turn_id_, std::string(status)});
    return finish(status, std::move(error), exit_code);
  }
  Entries entries;
  event::TurnStatus turn{turn_id_, std::string(status), {}, error, {}};
  if (state_ == State::kRequesting) {
    if (answer_.has_protocol_item()) {
      calls_ = answer_.calls();
      answered_calls_ = 0;
      record_segments(entries, status);
    } else {
      turn.partial_text = answer_.text();
      if (std::exchange(secret_was_cut_, false)) session::mask_cut_start(turn.partial_text);
      session::mask_cut_end(turn.partial_text);
    }
    record_accounting(entries);
  }
  cancel_open_calls(entries);
  entries.add(turn);
  // The disk may be what failed: the outcome is reported whether or not it could be stored.
  (void)parts_.journal.append(std::move(entries), session::Durability::kRequired);
  parts_.sink.turn({turn_id_, std::string(status)});
  finish(status, std::move(error), exit_code);
}

void Run::finish(std::string_view status, std::optional<event::ErrorInfo> error, int exit_code) {
  parts_.journal.save_sidecar();
  Outcome outcome{std::string(status), earlier_text_ + answer_.text(), std::move(error), exit_code};
  if (outcome.text.empty()) outcome.text = std::exchange(text_before_tools_, {});
  state_ = State::kIdle;
  turn_ = TurnState::kNone;
  answer_ = Answer();
  // Input that found no boundary is the user's again.
  for (const UserPrompt& prompt : steering_.take()) parts_.sink.undelivered(prompt);
  const auto on_end = std::exchange(on_end_, nullptr);
  on_end(std::move(outcome));
}

}  // namespace magi::code
