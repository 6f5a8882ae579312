// Budgets and compaction of a run (A1 to A8): what is counted before an input and at each settled boundary, and what
// follows from it.
#include "tools/magi-code/loop/run.h"

namespace magi::code {
namespace {

constexpr std::string_view kContinue = "continue";
constexpr std::string_view kAutomatic = "automatic_compaction";

event::User as_user(const UserPrompt& prompt, const std::string& turn_id) {
  event::User user;
  user.text = prompt.expanded.empty() ? prompt.text : prompt.expanded;
  user.turn_id = turn_id;
  user.origin = prompt.origin;
  user.parts = prompt.parts;
  return user;
}

UserPrompt automatic_continue() { return {std::string(kContinue), {}, std::string(kAutomatic), {}, {}}; }

Error over_limit(std::string what) { return make_error(ErrorCode::kLimit, what); }

}  // namespace

bool Run::can_compact() {
  session::Writer* const writer = parts_.journal.writer();
  return writer && writer->exists() && !writer->is_uncertain() && !cancelled_ && parts_.decisions.compaction_timing();
}

bool Run::is_child() {
  session::Writer* const writer = parts_.journal.writer();
  return writer && writer->family() == session::Family::kChild;
}

Projection Run::projection_of(const Verdict& verdict, std::size_t bytes) const {
  Projection next;
  next.bytes = bytes;
  if (!verdict.report) return next;
  const TokenReport& report = *verdict.report;
  next.tokens = report.total;
  next.fixed = report.fixed_overhead;
  next.usable = report.usable;
  next.cutoff = report.compaction_cutoff;
  next.method = report.method;
  next.over = !report.fits;
  if (const auto calibrated = calibration_.project(report.total)) {
    // For claude-subscription the estimate alone counts too (K8).
    next.tokens = policy_.is_subscription() ? std::max(*calibrated, report.total) : *calibrated;
    next.over = next.tokens > report.usable;
    next.method += ", calibrated by reported usage";
  }
  return next;
}

// Counts what would be sent with `extras` behind the conversation.
void Run::project(const std::vector<event::User>& extras, OnProjected then) {
  auto stream = parts_.journal.projected(next_request(), extras);
  if (!stream) return parts_.loop.post([this, error = stream.error()] { fail(error); });
  auto shared = std::make_shared<const std::string>(*std::move(stream));
  state_ = State::kCounting;
  parts_.tokens.check(shared, [shared, then = std::move(then)](const Verdict& verdict) { then(verdict, *shared); });
}

// A6: nothing of the input is stored before it is known to fit.
void Run::check_input() {
  project({as_user(*input_, turn_id_)}, [this](const Verdict& verdict, const std::string& stream) {
    const Projection next = projection_of(verdict, stream.size());
    switch (policy_.decide(CompactionPolicy::Boundary::kInput, next, can_compact())) {
      case CompactionPolicy::Step::kRefuse: return fail(over_limit(policy_.refusal(next, is_child())));
      case CompactionPolicy::Step::kCompact: return check_input_alone();
      case CompactionPolicy::Step::kGo:
      case CompactionPolicy::Step::kTell: projected_.keep(stream, verdict); return store_input();
    }
  });
}

// Without the history it has to fit, or no compaction can help.
void Run::check_input_alone() {
  auto stream = std::make_shared<std::string>();
  event::append_record(*stream, next_request());
  event::append_record(*stream, as_user(*input_, turn_id_));
  event::append_record(*stream, event::End{});
  state_ = State::kCounting;
  parts_.tokens.count(stream, [this, stream](const Verdict& verdict) {
    parts_.tokens.reset();
    Projection alone = projection_of(verdict, stream->size());
    if (verdict.report && !verdict.report->fits) {
      alone.tokens = verdict.report->total;
      return fail(over_limit("even without the history " + policy_.refusal(alone, is_child())));
    }
    compact({"preflight", {}}, [this] { check_input_again(); });
  });
}

void Run::check_input_again() {
  project({as_user(*input_, turn_id_)}, [this](const Verdict& verdict, const std::string& stream) {
    const Projection next = projection_of(verdict, stream.size());
    if (next.over) return fail(over_limit(policy_.no_gain(next)));
    policy_.note_resumed(stream.size());
    store_input();
  });
}

std::vector<event::User> Run::waiting_input(Boundary boundary) {
  std::vector<event::User> users;
  for (UserPrompt& prompt : steering_.waiting()) {
    settle_tags(prompt);
    users.push_back(as_user(prompt, turn_id_));
  }
  if (users.empty() && boundary == Boundary::kTurnEnd) users.push_back(as_user(automatic_continue(), turn_id_));
  return users;
}

// A3: everything of the turn so far is stored; what waits is looked at, not acknowledged.
void Run::settle_boundary(Boundary boundary) {
  // Nothing can follow a limit that is reached, so nothing is compacted for it.
  const bool can = can_compact() && !reached_limit();
  if (!can && boundary == Boundary::kTurnEnd) return go_on(boundary);
  project(waiting_input(boundary), [this, boundary, can](const Verdict& verdict, const std::string& stream) {
    const Projection next = projection_of(verdict, stream.size());
    switch (policy_.decide(boundary, next, can, wanted_.has_value())) {
      case CompactionPolicy::Step::kRefuse: return fail(over_limit(policy_.refusal(next, is_child())));
      case CompactionPolicy::Step::kCompact:
        return compact({"automatic", wanted_.value_or("")}, [this, boundary] { resume_compacted(boundary); });
      case CompactionPolicy::Step::kTell: tell_due(next, can); return go_on(boundary);
      case CompactionPolicy::Step::kGo: return go_on(boundary);
    }
  });
}

void Run::tell_due(const Projection& next, bool can_compact) {
  if (std::exchange(told_due_, true)) return;
  parts_.sink.diagnostic({"warning",
                          "the conversation is " + std::to_string(next.tokens) + " tokens, and at " +
                              std::to_string(*next.cutoff) + " it should be compacted: " +
                              (can_compact ? "this run may compact no further (agent.compaction.auto)"
                                           : "it is not stored, so it cannot be"),
                          "context"});
}

void Run::go_on(Boundary boundary) {
  if (boundary == Boundary::kTurnEnd) {
    if (steering_.empty()) return finish("completed", std::nullopt, kExitOk);
    begin_turn();
  }
  if (deliver_steering()) send_request();
}

// A4: what the user has said since goes first; otherwise the run goes on by itself.
void Run::resume_compacted(Boundary boundary) {
  project(waiting_input(Boundary::kTurnEnd), [this, boundary](const Verdict& verdict, const std::string& stream) {
    const Projection next = projection_of(verdict, stream.size());
    if (next.over || next.reaches_cutoff()) return fail(over_limit(policy_.no_gain(next)));
    policy_.note_resumed(stream.size());
    if (boundary == Boundary::kTurnEnd) begin_turn();
    if (!steering_.empty()) {
      if (deliver_steering()) send_request();
      return;
    }
    UserPrompt prompt = automatic_continue();
    if (auto appended = append_input(prompt); !appended) return fail(appended.error());
    parts_.sink.automatic_user_prompt({"the session was compacted", std::string(kContinue)});
    send_request();
  });
}

void Run::compact(CompactionWish wish, std::function<void()> then) {
  state_ = State::kCompacting;
  wanted_.reset();
  policy_.note_compaction();
  CompactionRecord record;
  record.status = "started";
  record.trigger = wish.trigger;
  parts_.sink.compaction(record);
  parts_.compactor.start(wish, [this, record, then = std::move(then)](Result<CompactionReport> report) {
    on_compacted(record, std::move(report), then);
  });
}

// However it ended, another file may be the session now; what memory holds follows the session.
void Run::on_compacted(CompactionRecord record, Result<CompactionReport> report, const std::function<void()>& then) {
  parts_.tokens.reset();
  calibration_.reset();
  projected_.drop();
  if (report) account(*report);
  parts_.memory.refresh_expected([this, record = std::move(record), report = std::move(report),
                                  then](Result<std::vector<std::string>> call_ids) mutable {
    record.status = report ? "completed" : "failed";
    if (report) {
      record.generation = report->generation;
      record.tokens_before = report->tokens_before;
      record.tokens_after = report->tokens_after;
      record.summary = report->summary;
    } else {
      record.error = report.error().what;
    }
    parts_.sink.compaction(record);
    if (cancelled_) return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
    if (!report) return fail(make_error(report.error().code, "compaction failed: ", report.error().what));
    if (!call_ids) return fail(call_ids.error());
    call_ids_.insert(call_ids->begin(), call_ids->end());
    then();
  });
}

void Run::account(const CompactionReport& report) {
  usage_.requests += report.requests;
  usage_.input_tokens += report.usage.input_tokens;
  usage_.output_tokens += report.usage.output_tokens;
  usage_.cached_tokens += report.usage.cached_tokens.value_or(0);
  usage_.cache_write_tokens += report.usage.cache_write_tokens.value_or(0);
  usage_.reasoning_tokens += report.usage.reasoning_tokens.value_or(0);
}

void Run::compact_now(std::string instructions, std::function<void(Outcome)> on_end) {
  on_end_ = std::move(on_end);
  cancelled_ = false;
  cancel_reason_.reset();
  turn_ = TurnState::kNone;
  earlier_text_.clear();
  text_before_tools_.clear();
  state_ = State::kCompacting;
  if (!can_compact())
    return parts_.loop.post(
        [this] { fail(make_error(ErrorCode::kUsage, "there is no stored session that could be compacted")); });
  compact({"manual", std::move(instructions)}, [this] { finish("completed", std::nullopt, kExitOk); });
}

}  // namespace magi::code
