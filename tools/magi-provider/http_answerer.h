// Answers over HTTP: attempts, waits between them, time limits, and what is left of a transfer once its answer is
// known.
#pragma once

#include <random>

#include "libcommon/config/provider_choice.h"
#include "tools/magi-provider/answerer.h"
#include "tools/magi-provider/auth/account.h"
#include "tools/magi-provider/exchange.h"
#include "tools/magi-provider/model_list.h"
#include "tools/magi-provider/retry.h"
#include "tools/magi-provider/transport.h"
#include "tools/magi-provider/wire.h"

namespace magi::provider {

struct TimeLimits {
  std::int64_t connect_ms = 10'000;
  std::int64_t headers_ms = 0;     // 0: two minutes; ten for a server nearby, which reads the prompt before it answers
  std::int64_t idle_ms = 300'000;  // without a byte: what codex and claude-code wait
  std::int64_t wind_down_ms = 2'000;  // for the usage that may follow the end of an answer
};

struct HttpOptions {
  config::ProviderChoice choice;
  std::string key;  // may be empty
  std::shared_ptr<Account> account;  // in place of a key
  TimeLimits limits;
  RetryPolicy retry;
};

class HttpAnswerer final : public Answerer {
 public:
  // Requires: `transport` outlives it.
  HttpAnswerer(HttpOptions options, Transport& transport);
  // A renewal of the login that is under way is waited for, for a moment.
  ~HttpAnswerer() override;

  std::unique_ptr<RequestMapper> new_mapper() const override { return make_mapper(options_.choice); }
  void begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) override;
  void step() override;
  bool busy() const override { return phase_ != Phase::kIdle && phase_ != Phase::kLeaving; }
  void cancel() override;
  AnswerEnd end() const override { return end_; }
  const std::string& failure_text() const override { return failure_text_; }
  std::string take_notice() override { return std::exchange(notice_, {}); }
  void wait(std::span<const int> readable, int watched) override;

 private:
  enum class Phase {
    kIdle,
    kPreparing,  // the account's login
    kAsking,     // which model the server has
    kAnswering,
    kSleeping,  // before the next attempt
    kLeaving,   // the answer is known; the connection stays warm if the rest of the response comes
  };

  void start_attempt();
  void start_request();
  void start_answering();
  void step_preparing();
  void step_asking();
  void step_answering();
  void end_attempt(const Outcome& outcome);
  void fail_attempt(Failure failure);
  void finish_answer(AnswerEnd end);
  void mind_the_clock();
  void write_usage();
  bool try_other_login(const Failure& failure);
  std::string_view secret() const { return options_.account ? options_.account->secret() : options_.key; }
  std::vector<std::string> headers(std::string_view accept) const;
  std::int64_t attempt_number() const { return retry_.retries_made + other_logins_ + 1; }
  void note_attempt(std::string_view outcome);
  void announce_attempt(std::optional<double> delay_s, std::string reason);
  std::int64_t headers_limit_ms() const;

  HttpOptions options_;
  Transport& transport_;
  std::vector<std::string> headers_;
  std::minstd_rand random_;

  Phase phase_ = Phase::kIdle;
  std::int64_t deadline_ns_ = 0;
  std::int64_t silent_since_ns_ = 0, winding_down_since_ns_ = 0;  // of the attempt under way
  std::int64_t suspended_ns_ = 0;                                 // how long the machine has slept since it was started
  bool told_of_silence_ = false;
  AnswerWriter* out_ = nullptr;
  std::string model_;       // of the answer under way
  std::string only_model_;  // what the server was found to have
  ReaderContext context_;
  std::unique_ptr<RequestMapper> mapper_;
  std::optional<Body> body_;
  std::unique_ptr<StreamReader> reader_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<ModelListing> listing_;
  RetryState retry_;
  std::int64_t other_logins_ = 0;  // attempts that a refused login has cost
  std::string attempts_json_, identity_json_;
  std::int64_t attempt_started_ns_ = 0;
  std::optional<double> attempt_delay_s_;
  AnswerEnd end_ = AnswerEnd::kDone;
  std::string failure_text_, notice_;
};

}  // namespace magi::provider
