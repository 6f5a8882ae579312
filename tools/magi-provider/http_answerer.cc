#include "tools/magi-provider/http_answerer.h"

#include <time.h>

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
// A person is told of a silence that is longer.
constexpr std::int64_t kSilenceMs = 20'000;
// How long a connection may be silent that the machine has slept over.
constexpr std::int64_t kAfterSleepMs = 10'000;

// How long the machine has been suspended since it was started; the monotonic clock stood still meanwhile.
std::int64_t suspended_ns() {
  timespec since_boot{};
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  return since_boot.tv_sec * 1'000'000'000 + since_boot.tv_nsec - monotonic_ns();
}

}  // namespace

HttpAnswerer::HttpAnswerer(HttpOptions options, Transport& transport)
    : options_(std::move(options)),
      transport_(transport),
      headers_(request_headers(options_.choice, options_.key, kEventStream)),
      random_(static_cast<unsigned>(monotonic_ns())) {}

HttpAnswerer::~HttpAnswerer() {
  constexpr std::int64_t kPatienceMs = 2'000;
  const std::int64_t end_ns = monotonic_ns() + kPatienceMs * kNsPerMs;
  while (options_.account && options_.account->busy() && monotonic_ns() < end_ns) {
    transport_.wait({}, -1, 50);
    transport_.step();
    options_.account->step(transport_);
  }
}

std::vector<std::string> HttpAnswerer::headers(std::string_view accept) const {
  auto headers = request_headers(options_.choice, options_.key, accept);
  if (!options_.account) return headers;
  for (std::string& header : options_.account->headers()) headers.push_back(std::move(header));
  return headers;
}

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
  other_logins_ = 0;
  attempts_json_.clear();
  identity_json_.clear();
  if (options_.account) options_.account->begin_answer(mapper_->request(), mapper_->session_id());
  attempt_delay_s_.reset();
  failure_text_.clear();
  announce_attempt({}, {});
  start_attempt();
}

void HttpAnswerer::announce_attempt(std::optional<double> delay_s, std::string reason) {
  event::Attempt attempt;
  attempt.number = attempt_number();
  attempt.model = model_;
  attempt.reason = std::move(reason);
  if (delay_s) attempt.delay_ms = static_cast<std::int64_t>(*delay_s * 1000);
  out_->record(std::move(attempt));
  attempt_delay_s_ = delay_s;
}

void HttpAnswerer::start_attempt() {
  attempt_started_ns_ = monotonic_ns();
  exchange_.reset();
  reader_.reset();
  if (!options_.account) return start_request();
  phase_ = Phase::kPreparing;
  options_.account->prepare(transport_);
  step_preparing();
}

void HttpAnswerer::step_preparing() {
  Account& account = *options_.account;
  account.step(transport_);
  if (account.busy()) {
    deadline_ns_ = account.wake_ns();
    return;
  }
  if (account.failure()) return fail_attempt(*account.failure());
  start_request();
}

void HttpAnswerer::start_request() {
  if (!model_.empty()) return start_answering();
  phase_ = Phase::kAsking;
  listing_ = std::make_unique<ModelListing>();
  deadline_ns_ = attempt_started_ns_ + headers_limit_ms() * kNsPerMs;
  transport_.begin({models_url(options_.choice), headers(kJson), nullptr, options_.limits.connect_ms}, *listing_);
}

void HttpAnswerer::start_answering() {
  if (!body_) body_ = mapper_->take_body(model_);
  reader_ = make_reader(options_.choice.api, *out_, context_);
  exchange_ = std::make_unique<Exchange>(*reader_);
  phase_ = Phase::kAnswering;
  silent_since_ns_ = monotonic_ns();
  deadline_ns_ = silent_since_ns_ + headers_limit_ms() * kNsPerMs;
  suspended_ns_ = suspended_ns();
  winding_down_since_ns_ = 0;
  told_of_silence_ = false;
  transport_.begin({request_url(options_.choice), options_.account ? headers(kEventStream) : headers_, &*body_,
                    options_.limits.connect_ms},
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
    case Phase::kPreparing: return step_preparing();
    case Phase::kAsking: return step_asking();
    case Phase::kAnswering: return step_answering();
    case Phase::kSleeping:
      if (monotonic_ns() >= deadline_ns_) start_attempt();
      return;
    case Phase::kLeaving:
      if (options_.account && options_.account->busy()) {
        options_.account->step(transport_);
        deadline_ns_ = options_.account->busy() ? options_.account->wake_ns() : 0;
        return;
      }
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
    return start_answering();
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
  mind_the_clock();
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

// What the server has sent of late, comments included, decides how long it is still waited for.
void HttpAnswerer::mind_the_clock() {
  const std::int64_t now_ns = monotonic_ns();
  const TimeLimits& limits = options_.limits;
  if (exchange_->take_activity()) {
    silent_since_ns_ = now_ns;
    if (reader_->winding_down()) {
      // Comments without end may follow the end of an answer.
      if (winding_down_since_ns_ == 0) winding_down_since_ns_ = now_ns;
      constexpr std::int64_t kMostPauses = 5;
      deadline_ns_ = std::min(now_ns + limits.wind_down_ms * kNsPerMs,
                              winding_down_since_ns_ + kMostPauses * limits.wind_down_ms * kNsPerMs);
    } else {
      deadline_ns_ = now_ns + (exchange_->has_head() ? limits.idle_ms : headers_limit_ms()) * kNsPerMs;
    }
  }
  // The server may have given up on a connection that it could not reach for so long.
  if (suspended_ns() - suspended_ns_ > kAfterSleepMs * kNsPerMs) {
    suspended_ns_ = suspended_ns();
    deadline_ns_ = std::min(deadline_ns_, now_ns + kAfterSleepMs * kNsPerMs);
  }
  if (told_of_silence_ || now_ns - silent_since_ns_ < kSilenceMs * kNsPerMs) return;
  told_of_silence_ = true;
  notice_ = "waiting for " + net::origin_of(options_.choice.base_url) + ", which has been silent for " +
            std::to_string((now_ns - silent_since_ns_) / (1000 * kNsPerMs)) + " s";
}

void HttpAnswerer::end_attempt(const Outcome& outcome) {
  if (outcome.failure) return fail_attempt(*outcome.failure);
  note_attempt("completed");
  finish_answer(AnswerEnd::kDone);
  write_done(*out_, "completed", outcome.stop_reason);
}

void HttpAnswerer::fail_attempt(Failure failure) {
  failure.message = redacted(std::move(failure.message), secret());
  transport_.abort();
  if (is_transient(failure.kind)) transport_.forget_connections();
  note_attempt(category(failure.kind));
  if (try_other_login(failure)) return;
  if (!out_->accepted()) {
    const double unit_random = static_cast<double>(random_() - random_.min()) / static_cast<double>(random_.max());
    const RetryDecision decision = decide_retry(options_.retry, retry_, failure, unit_random);
    if (decision.delay_s) {
      ++retry_.retries_made;
      retry_.slept_s += *decision.delay_s;
      write_usage();
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

// A login that the server refuses may have been renewed by another process, or can be renewed now; that is no retry.
bool HttpAnswerer::try_other_login(const Failure& failure) {
  if (!options_.account || failure.http_status != 401 || out_->accepted() || !options_.account->refused()) return false;
  ++other_logins_;
  announce_attempt({}, std::string(category(failure.kind)) + ": " + failure.message);
  start_attempt();
  return true;
}

// Writes what stands before the last record, and lets go of the answer but for its connection.
void HttpAnswerer::finish_answer(AnswerEnd end) {
  write_usage();
  event::Trace trace;
  trace.attempts.json = "[" + attempts_json_ + "]";
  trace.response_identity.json = identity_json_;
  out_->record(std::move(trace));
  end_ = end;
  mapper_.reset();
  phase_ = Phase::kLeaving;
  deadline_ns_ = monotonic_ns() + kLeaveMs * kNsPerMs;
}

// Of each attempt that the server has counted, also where it was cut.
void HttpAnswerer::write_usage() {
  if (reader_ && reader_->usage()) out_->record(*reader_->usage());
}

void HttpAnswerer::note_attempt(std::string_view outcome) {
  if (!attempts_json_.empty()) attempts_json_ += ',';
  json::Writer out(attempts_json_);
  out.begin_object().key("number").integer(attempt_number()).key("outcome").string(outcome);
  if (exchange_ && exchange_->has_head()) out.key("status").integer(exchange_->head().status);
  if (!model_.empty()) out.key("model").string(model_);
  if (reader_ && !reader_->reported_model().empty())
    out.key("reported_model").string(one_line(reader_->reported_model()));
  if (exchange_ && !exchange_->request_id().empty()) out.key("request_id").string(one_line(exchange_->request_id()));
  if (attempt_delay_s_) out.key("delay_ms").integer(static_cast<std::int64_t>(*attempt_delay_s_ * 1000));
  if (reader_ && reader_->skipped_events() > 0) out.key("skipped_events").integer(reader_->skipped_events());
  const AttemptTiming timing{
      attempt_number(), (monotonic_ns() - attempt_started_ns_) / kNsPerMs,
      attempt_delay_s_ ? std::optional(static_cast<std::int64_t>(*attempt_delay_s_ * 1000)) : std::nullopt};
  if (options_.account && exchange_) {
    identity_json_ = options_.account->end_attempt(exchange_->head(), *body_, timing);
    out.key("response_identity").raw(identity_json_);
  }
  out.key("duration_ms").integer(timing.duration_ms);
  out.key("bytes").integer(exchange_ ? static_cast<std::int64_t>(exchange_->bytes()) : 0).end_object();
}

void HttpAnswerer::cancel() {
  if (!busy()) return;
  if (phase_ == Phase::kPreparing)
    options_.account->cancel();
  else
    transport_.abort();
  if (phase_ != Phase::kSleeping) note_attempt("cancelled");
  finish_answer(AnswerEnd::kCancelled);
  write_done(*out_, "cancelled", {});
}

void HttpAnswerer::wait(std::span<const int> readable, int watched) {
  // Curl's own timers are part of the transport's; silence and suspension are looked for now and then.
  constexpr std::int64_t kLongestMs = 10'000;
  std::int64_t timeout_ms = kLongestMs;
  if (phase_ != Phase::kIdle) {
    const std::int64_t left_ns = deadline_ns_ - monotonic_ns();
    timeout_ms = std::clamp<std::int64_t>((left_ns + kNsPerMs - 1) / kNsPerMs, 0, kLongestMs);
  }
  transport_.wait(readable, watched, timeout_ms);
}

}  // namespace magi::provider
