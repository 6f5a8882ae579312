#include "tools/magi-provider/auth/codex_account.h"

#include "libcommon/base/clock.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/lease.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// A token that ends within this is renewed first: a request should not outlive it before it has arrived.
constexpr std::int64_t kMarginS = 60;
// Bounds of a renewal; who waits for it gives up later than it (magi-locks(7)).
constexpr std::int64_t kRenewalMs = 9'000, kLockMs = os::kMutationTimeoutMs, kLockPauseMs = 25;

constexpr std::string_view kLogInAgain = "log in again: magi-provider --login openai-codex";

// An id that may stand in a header; others become one that is as stable.
std::string header_id(std::string_view id) {
  if (id.empty() || session::is_valid_session_id(id)) return std::string(id);
  return sha256_hex(id).substr(0, 32);
}

}  // namespace

void CodexAccount::begin_answer(const event::Request& request, const std::string& session_id) {
  scope_ = {request.run_id, request.turn_id, {}};
  // A request without run and turn is a turn of its own.
  if (scope_.run_id.empty() && scope_.turn_id.empty()) scope_.turn_id = "one-shot-" + std::to_string(++one_shots_);
  thread_header_ = header_id(request.thread_id.empty() ? session_id : request.thread_id);
  session_header_ = header_id(session_id.empty() ? thread_header_ : session_id);
  if (session_header_.empty()) {
    const auto random = random_bytes(16);
    session_header_ = thread_header_ = random ? sha256_hex(*random).substr(0, 32) : "one-shot";
  }
  if (thread_header_.empty()) thread_header_ = session_header_;
  renewed_ = must_renew_ = false;
  // A renewal that outlived its answer goes on, and what it brings counts.
  if (!busy()) login_.reset();
}

bool CodexAccount::load() {
  auto login = store_.read(kCodex);
  if (!login) {
    settle(FailureKind::kConfig, login.error().what);
    return false;
  }
  if (!*login) {
    settle(FailureKind::kConfig, "nobody is logged in\n" + std::string(kLogInAgain));
    return false;
  }
  login_ = **std::move(login);
  return true;
}

bool CodexAccount::is_stale() const {
  return login_->expires_at_s > 0 && unix_time_ms() / 1000 >= login_->expires_at_s - kMarginS;
}

void CodexAccount::settle(FailureKind kind, std::string message) {
  state_ = State::kReady;
  lock_.reset();
  request_.reset();
  failure_ = Failure{};
  failure_->kind = kind;
  failure_->message = std::move(message);
}

void CodexAccount::prepare(Transport& transport) {
  if (busy()) return;
  failure_.reset();
  if (!login_ && !load()) return;
  if (!must_renew_ && !is_stale()) return enter_turn();
  renew();
  step(transport);
}

void CodexAccount::renew() {
  used_token_ = login_->access_token;
  state_ = State::kLocking;
  deadline_ns_ = monotonic_ns() + kLockMs * kNsPerMs;
  next_try_ns_ = 0;
}

void CodexAccount::step(Transport& transport) {
  if (state_ == State::kLocking) return try_lock(transport);
  if (state_ == State::kRenewing) return take_tokens(transport);
}

// With the lock, the file is what counts: another process may have renewed the login while we waited.
void CodexAccount::try_lock(Transport& transport) {
  if (monotonic_ns() < next_try_ns_) return;
  auto lock = store_.lock(0);
  if (!lock && lock.error().code == ErrorCode::kBusy && monotonic_ns() < deadline_ns_) {
    next_try_ns_ = monotonic_ns() + kLockPauseMs * kNsPerMs;
    return;
  }
  if (!lock) return settle(FailureKind::kAuth, "cannot renew the login: " + lock.error().what);
  lock_ = *std::move(lock);
  const std::string account = login_->account_id;
  if (!load()) return;
  if (login_->account_id != account)
    return settle(FailureKind::kAuth, "the login was changed to another account meanwhile");
  if (login_->access_token != used_token_ && !is_stale()) {
    must_renew_ = false;
    lock_.reset();
    state_ = State::kReady;
    return enter_turn();
  }
  if (login_->refresh_token.empty())
    return settle(FailureKind::kAuth, "the login has ended\n" + std::string(kLogInAgain));
  state_ = State::kRenewing;
  deadline_ns_ = monotonic_ns() + kRenewalMs * kNsPerMs;
  request_.emplace(TokenRequest::for_refresh(service_, login_->refresh_token));
  transport.begin(request_->http(), *request_);
}

void CodexAccount::take_tokens(Transport& transport) {
  std::optional<Failure> failure;
  if (transport.active()) {
    if (monotonic_ns() < deadline_ns_) return;
    transport.abort();
    failure = Failure{};
    failure->kind = FailureKind::kTimeout;
    failure->message = "no answer in time from " + service_.issuer;
  } else {
    failure = transport.failure();
  }
  Login fresh = *login_;
  if (const auto refusal = request_->finish(failure, fresh)) {
    // What still works is used, and the next request tries again.
    if (!refusal->permanent && !refusal->uncertain && !must_renew_ && unix_time_ms() / 1000 < login_->expires_at_s) {
      lock_.reset();
      request_.reset();
      state_ = State::kReady;
      return enter_turn();
    }
    return settle(refusal->kind, refusal->permanent
                                     ? "the login has ended: " + refusal->message + "\n" + std::string(kLogInAgain)
                                     : "cannot renew the login: " + refusal->message);
  }
  if (auto written = store_.write(kCodex, fresh); !written)
    return settle(FailureKind::kConfig, "cannot keep the renewed login: " + written.error().what);
  login_ = std::move(fresh);
  lock_.reset();
  request_.reset();
  must_renew_ = false;
  state_ = State::kReady;
  enter_turn();
}

// A renewal under way is not broken off: the service may have taken the old token already.
void CodexAccount::cancel() {
  if (state_ == State::kLocking) state_ = State::kReady;
}

// First whatever another process has stored meanwhile, then tokens of our own asking, then no more.
bool CodexAccount::refused() {
  if (!login_ || renewed_) return false;
  const std::string token = login_->access_token, account = login_->account_id;
  if (!load() || login_->account_id != account) return false;
  if (login_->access_token != token) return true;
  renewed_ = must_renew_ = true;
  return true;
}

void CodexAccount::enter_turn() {
  scope_.account_id = login_->account_id;
  auto turn = turns_.enter(scope_);
  if (!turn) return settle(FailureKind::kConfig, turn.error().what);
  turn_ = *turn;
  sent_routing_ = !turn_->routing().empty();
}

std::vector<std::string> CodexAccount::headers() const {
  std::vector<std::string> headers{"Authorization: Bearer " + login_->access_token, "originator: magi-code",
                                   "OpenAI-Beta: responses=experimental"};
  if (!login_->account_id.empty()) headers.push_back("ChatGPT-Account-ID: " + login_->account_id);
  headers.push_back("session-id: " + session_header_);
  headers.push_back("thread-id: " + thread_header_);
  if (sent_routing_) headers.push_back("x-codex-turn-state: " + turn_->routing());
  return headers;
}

std::string CodexAccount::end_attempt(const ResponseHead& head, const Body& body, const AttemptTiming& timing) {
  turn_->take_routing(head.turn_state);
  const auto prints = turn_->observe(body);
  std::string json;
  json::Writer out(json);
  out.begin_object().key("cache").begin_object();
  out.key("turn")
      .string(scope_.turn_id)
      .key("attempt")
      .integer(timing.number)
      .key("duration_ms")
      .integer(timing.duration_ms);
  if (timing.delay_ms) out.key("delay_ms").integer(*timing.delay_ms);
  if (prints) {
    out.key("fingerprints").begin_object().key("instructions").string(prints->instructions);
    out.key("tools").string(prints->tools).key("input").string(prints->input);
    out.key("configuration").string(prints->configuration).end_object();
    const auto judged = [&](std::string_view key, const std::optional<bool>& value) {
      out.key(key);
      value ? out.boolean(*value) : out.null();
    };
    judged("input_prefix_preserved", prints->input_prefix_preserved);
    judged("configuration_preserved", prints->configuration_preserved);
  }
  out.key("routing").begin_object().key("session_id").boolean(true).key("thread_id").boolean(true);
  out.key("turn_state_sent").boolean(sent_routing_).key("turn_state_received").boolean(!head.turn_state.empty());
  out.end_object().end_object().end_object();
  return json;
}

}  // namespace magi::provider
