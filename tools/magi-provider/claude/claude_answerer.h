// Answers by an installed `claude` with its own login: one process a request, its own tools off, ours offered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/config/provider_choice.h"
#include "tools/magi-provider/answerer.h"
#include "tools/magi-provider/claude/claude_login.h"
#include "tools/magi-provider/claude/claude_process.h"
#include "tools/magi-provider/claude/claude_reader.h"
#include "tools/magi-provider/claude/claude_request.h"
#include "tools/magi-provider/http_answerer.h"

namespace magi::provider {

struct ClaudeOptions {
  std::string program, provider, model;
  std::vector<std::string> env;
  TimeLimits limits;
};

// kConfig where no claude is installed.
Result<ClaudeOptions> claude_options(const config::Settings& settings, const config::Environment& environment,
                                     const config::ProviderChoice& choice, const TimeLimits& limits);

// What claude is started with.
std::vector<std::string> claude_arguments(const ClaudeRequest& request, std::string_view model);

class ClaudeAnswerer final : public Answerer {
 public:
  explicit ClaudeAnswerer(ClaudeOptions options) : options_(std::move(options)) {}

  std::unique_ptr<RequestMapper> new_mapper() const override;
  void begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) override;
  void step() override;
  bool busy() const override { return phase_ != Phase::kIdle; }
  void cancel() override;
  AnswerEnd end() const override { return end_; }
  const std::string& failure_text() const override { return failure_text_; }
  std::string take_notice() override { return std::exchange(notice_, {}); }
  void wait(std::span<const int> readable, int watched) override;

 private:
  enum class Phase { kIdle, kChecking, kAnswering };

  void step_checking();
  void step_answering();
  void start_claude();
  void take_lines();
  void settle();
  void fail(Failure failure);
  void finish(AnswerEnd end, std::string_view outcome);

  ClaudeOptions options_;
  Phase phase_ = Phase::kIdle;
  bool logged_in_ = false;  // as far as this process has asked
  AnswerWriter* out_ = nullptr;
  std::unique_ptr<ClaudeRequest> request_;
  std::string model_;
  std::optional<ClaudeLoginCheck> check_;
  std::optional<ClaudeProcess> process_;
  std::optional<ClaudeReader> reader_;
  bool asked_ = false;  // the message has been sent
  std::int64_t started_ns_ = 0, deadline_ns_ = 0, retries_ = 0;
  AnswerEnd end_ = AnswerEnd::kDone;
  std::string failure_text_, notice_;
};

}  // namespace magi::provider
