#include "tools/magi-provider/http_answerer.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/clock.h"
#include "libcommon/json/writer.h"
#include "tools/magi-provider/wire.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// How long a finished response may take to end before its connection is given up.
constexpr std::int64_t kLeaveMs = 1'000;

}  // namespace

HttpAnswerer::HttpAnswerer(HttpOptions options, Transport& transport)
    : options_(std::move(options)),
      transport_(transport),
      headers_(request_headers(options_.choice, options_.key, kEventStream)),
      random_(static_cast<unsigned>(monotonic_ns())) {}

void HttpAnswerer::begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) {
  // The rest of the last response may have come meanwhile; then its connection serves this request too.
  transport_.step();
  mapper_ = std::move(mapper);
  out_ = &out;
  model_ = mapper_->requested_model();
  if (model_.empty()) model_ = !options_.choice.model.empty() ? options_.choice.model : only_model_;
  context_ = mapper_->reader_context();
  body_.reset();
  exchange_.reset();
  reader_.reset();
  retry_ = {};
  attempts_json_.clear();
  attempt_delay_s_.reset();
  failure_text_.clear();
  announce_attempt({}, {});
  start_attempt(false);
}

void HttpAnswerer::announce_attempt(std::optional<double> delay_s, std::string reason) {
  event::Attempt attempt;
  attempt.number = retry_.retries_made + 1;
  attempt.model = model_;
  attempt.reason = std::move(reason);
  if (delay_s) attempt.delay_ms = static_cast<std::int64_t>(*delay_s * 1000);
  out_->record(std::move(attempt));
  attempt_delay_s_ = delay_s;
}

void HttpAnswerer::start_attempt(bool fresh_connection) {
  attempt_started_ns_ = monotonic_ns();
  if (!model_.empty()) return start_answering(fresh_connection);
  phase_ = Phase::kAsking;
  listing_ = std::make_unique<ModelListing>();
  deadline_ns_ = attempt_started_ns_ + headers_limit_ms() * kNsPerMs;
  transport_.begin({models_url(options_.choice), request_headers(options_.choice, options_.key, kJson), nullptr,
                    options_.limits.connect_ms, fresh_connection},
                   *listing_);
}

void HttpAnswerer::start_answering(bool fresh_connection) {
  if (!body_) body_ = mapper_->take_body(model_);
  reader_ = make_reader(options_.choice.api, *out_, context_);
  exchange_ = std::make_unique<Exchange>(*reader_);
  phase_ = Phase::kAnswering;
  deadline_ns_ = monotonic_ns() + headers_limit_ms() * kNsPerMs;
  transport_.begin({request_url(options_.choice), headers_, &*body_, options_.limits.connect_ms, fresh_connection},
                   *exchange_);
}

std::int64_t HttpAnswerer::headers_limit_ms() const {
  if (options_.limits.headers_ms > 0) return options_.limits.headers_ms;
  return is_local_url(options_.choice.base_url) ? 600'000 : 120'000;
}

void HttpAnswerer::step() {
  transport_.step();
  switch (phase_) {
    case Phase::kIdle: return;
    case Phase::kAsking: return step_asking();
    case Phase::kAnswering: return step_answering();
    case Phase::kSleeping:
      if (monotonic_ns() >= deadline_ns_) start_attempt(true);
      return;
    case Phase::kLeaving:
      if (transport_.active() && monotonic_ns() >= deadline_ns_) transport_.abort();
      if (transport_.active()) return;
      phase_ = Phase::kIdle;
      body_.reset();
      return;
  }
}

void HttpAnswerer::step_asking() {
  if (transport_.active()) {
    if (monotonic_ns() < deadline_ns_) return;
    transport_.abort();
    return fail_attempt(Failure{FailureKind::kTimeout, "cannot list the models: no answer in time", {}, {}, {}, {}});
  }
  if (auto failure = listing_->finish(transport_.failure())) {
    failure->message += "; --model names one without asking";
    return fail_attempt(*std::move(failure));
  }
  const std::vector<Model>& models = listing_->models();
  if (models.size() == 1) {
    model_ = only_model_ = models.front().id;
    return start_answering(false);
  }
  std::string text =
      models.empty() ? "the server lists no model: give --model" : "choose a model with --model; the server has";
  constexpr std::size_t kMostNamed = 8;
  for (std::size_t i = 0; i < std::min(models.size(), kMostNamed); ++i) text += (i ? ", " : " ") + models[i].id;
  if (models.size() > kMostNamed) text += " and " + std::to_string(models.size() - kMostNamed) + " more";
  fail_attempt(Failure{FailureKind::kConfig, text, {}, {}, {}, {}});
}

void HttpAnswerer::step_answering() {
  if (!exchange_->outcome() && !transport_.active()) exchange_->finish(transport_.failure());
  if (exchange_->outcome()) return end_attempt(*exchange_->outcome());
  if (exchange_->take_activity()) {
    const std::int64_t limit_ms = !exchange_->has_head()    ? headers_limit_ms()
                                  : reader_->winding_down() ? options_.limits.wind_down_ms
                                                            : options_.limits.idle_ms;
    deadline_ns_ = monotonic_ns() + limit_ms * kNsPerMs;
  }
  if (monotonic_ns() < deadline_ns_) return;
  transport_.abort();
  if (reader_->winding_down()) {
    reader_->end_of_input();
    return end_attempt(*reader_->outcome());
  }
  end_attempt(Outcome{Failure{FailureKind::kTimeout,
                              exchange_->has_head() ? "the server fell silent" : "the server did not answer in time",
                              {},
                              exchange_->request_id(),
                              {},
                              {}},
                      {}});
}

void HttpAnswerer::end_attempt(const Outcome& outcome) {
  if (outcome.failure) return fail_attempt(*outcome.failure);
  note_attempt("completed");
  finish_answer(AnswerEnd::kDone);
  write_done(*out_, "completed", outcome.stop_reason);
}

void HttpAnswerer::fail_attempt(Failure failure) {
  failure.message = redacted(std::move(failure.message), options_.key);
  transport_.abort();
  note_attempt(category(failure.kind));
  if (!out_->accepted()) {
    const double unit_random = static_cast<double>(random_() - random_.min()) / static_cast<double>(random_.max());
    const RetryDecision decision = decide_retry(options_.retry, retry_, failure, unit_random);
    if (decision.delay_s) {
      ++retry_.retries_made;
      retry_.slept_s += *decision.delay_s;
      phase_ = Phase::kSleeping;
      deadline_ns_ = monotonic_ns() + static_cast<std::int64_t>(*decision.delay_s * 1e9);
      notice_ = failure.message + "; attempt " + std::to_string(retry_.retries_made + 1) + " follows in " +
                std::to_string(std::lround(*decision.delay_s)) + " s";
      return announce_attempt(decision.delay_s, std::string(category(failure.kind)) + ": " + failure.message);
    }
    if (!decision.advice.empty()) failure.message += " (" + decision.advice + ")";
  }
  if (retry_.retries_made > 0) failure.message += " (after " + std::to_string(retry_.retries_made + 1) + " attempts)";
  failure_text_ = options_.choice.id + ": " + failure.message;
  finish_answer(failure.kind == FailureKind::kConfig ? AnswerEnd::kMisconfigured : AnswerEnd::kFailed);
  write_error(*out_, failure);
}

// Writes what stands before the last record, and lets go of the answer but for its connection.
void HttpAnswerer::finish_answer(AnswerEnd end) {
  if (reader_ && reader_->usage()) out_->record(*reader_->usage());
  event::Trace trace;
  trace.attempts.json = "[" + attempts_json_ + "]";
  out_->record(std::move(trace));
  end_ = end;
  mapper_.reset();
  phase_ = Phase::kLeaving;
  deadline_ns_ = monotonic_ns() + kLeaveMs * kNsPerMs;
}

void HttpAnswerer::note_attempt(std::string_view outcome) {
  if (!attempts_json_.empty()) attempts_json_ += ',';
  json::Writer out(attempts_json_);
  out.begin_object().key("number").integer(retry_.retries_made + 1).key("outcome").string(outcome);
  if (exchange_ && exchange_->has_head()) out.key("status").integer(exchange_->head().status);
  if (!model_.empty()) out.key("model").string(model_);
  if (reader_ && !reader_->reported_model().empty()) out.key("reported_model").string(reader_->reported_model());
  if (exchange_ && !exchange_->request_id().empty()) out.key("request_id").string(exchange_->request_id());
  if (attempt_delay_s_) out.key("delay_ms").integer(static_cast<std::int64_t>(*attempt_delay_s_ * 1000));
  if (reader_ && reader_->skipped_events() > 0) out.key("skipped_events").integer(reader_->skipped_events());
  out.key("duration_ms").integer((monotonic_ns() - attempt_started_ns_) / kNsPerMs);
  out.key("bytes").integer(exchange_ ? static_cast<std::int64_t>(exchange_->bytes()) : 0).end_object();
}

void HttpAnswerer::cancel() {
  if (!busy()) return;
  transport_.abort();
  if (phase_ != Phase::kSleeping) note_attempt("cancelled");
  finish_answer(AnswerEnd::kCancelled);
  write_done(*out_, "cancelled", {});
}

void HttpAnswerer::wait(std::span<const int> readable, int watched) {
  // Only a deadline or a descriptor ends the wait; curl's own timers are part of the transport's.
  constexpr std::int64_t kLongestMs = 60'000;
  std::int64_t timeout_ms = kLongestMs;
  if (phase_ != Phase::kIdle) {
    const std::int64_t left_ns = deadline_ns_ - monotonic_ns();
    timeout_ms = std::clamp<std::int64_t>((left_ns + kNsPerMs - 1) / kNsPerMs, 0, kLongestMs);
  }
  transport_.wait(readable, watched, timeout_ms);
}

}  // namespace magi::provider
