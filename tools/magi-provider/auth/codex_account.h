// The account of openai-codex: its login is read anew for each answer, renewed when it is about to end or is refused,
// by one process at a time, and sent with the identity of the conversation (requirements P2 and P3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/magi-provider/auth/account.h"
#include "tools/magi-provider/auth/auth_store.h"
#include "tools/magi-provider/auth/token_request.h"
#include "tools/magi-provider/auth/turn_cache.h"

namespace magi::provider {

inline constexpr std::string_view kCodex = "openai-codex";

class CodexAccount final : public Account {
 public:
  CodexAccount(AuthStore store, AccountService service) : store_(std::move(store)), service_(std::move(service)) {}

  void begin_answer(const event::Request& request, const std::string& session_id) override;
  void prepare(Transport& transport) override;
  void step(Transport& transport) override;
  bool busy() const override { return state_ == State::kLocking || state_ == State::kRenewing; }
  std::int64_t wake_ns() const override { return state_ == State::kLocking ? next_try_ns_ : deadline_ns_; }
  void cancel() override;
  const std::optional<Failure>& failure() const override { return failure_; }
  std::vector<std::string> headers() const override;
  std::string_view secret() const override { return login_ ? std::string_view(login_->access_token) : ""; }
  bool refused() override;
  std::string end_attempt(const ResponseHead& head, const Body& body, const AttemptTiming& timing) override;

 private:
  enum class State { kReady, kLocking, kRenewing };

  bool load();
  bool is_stale() const;
  void renew();
  void try_lock(Transport& transport);
  void take_tokens(Transport& transport);
  void settle(FailureKind kind, std::string message);
  void enter_turn();

  AuthStore store_;
  AccountService service_;
  State state_ = State::kReady;
  std::optional<Login> login_;
  std::optional<Failure> failure_;
  std::string used_token_;   // that the server refused, or that is to be replaced
  bool renewed_ = false;     // in this answer, because of a refusal
  bool must_renew_ = false;  // whatever the expiry says
  std::optional<os::Lease> lock_;
  std::optional<TokenRequest> request_;
  std::int64_t deadline_ns_ = 0, next_try_ns_ = 0;

  std::string session_header_, thread_header_;
  TurnScope scope_;
  std::int64_t one_shots_ = 0;
  TurnCache turns_;
  Turn* turn_ = nullptr;
  bool sent_routing_ = false;
};

}  // namespace magi::provider
