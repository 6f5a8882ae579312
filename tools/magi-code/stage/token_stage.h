// magi-tokens as a stage: what a request weighs before it is sent (K3).  It is asked for the first request, and again
// only when the bytes that have come since could have used up the budget: a token is at least a byte.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

struct TokenReport {
  std::int64_t total = 0, usable = 0;
  std::string method;
  bool fits = true;
};

struct Verdict {
  enum class Kind {
    kFits,
    kOver,     // above the usable budget
    kUnknown,  // the counter could not say; `reason` tells why
  };
  Kind kind = Kind::kFits;
  // Of a count made for this request; nothing where an earlier one left no doubt.
  std::optional<TokenReport> report;
  std::string reason;
};

class TokenStage {
 public:
  // `base` starts magi-tokens without --serve; `enabled` is agent.context.enabled.
  TokenStage(EventLoop& loop, Command base, bool enabled, NoticeHandler on_notice);
  ~TokenStage();

  // Starts the child ahead of the first request.
  Result<void> start();
  // Calls `on_verdict` once: at once where no count is needed, else within five seconds.  Requires: no check is open.
  void check(std::shared_ptr<const std::string> stream, std::function<void(const Verdict&)> on_verdict);
  // Drops the open check without a verdict.
  void cancel();
  // The history was replaced by a shorter one: the next request is counted anew.
  void reset() { last_.reset(); }

 private:
  std::optional<Verdict> without_counting(std::size_t bytes) const;
  void ask(std::shared_ptr<const std::string> stream);
  void on_line(std::string_view line);
  void on_exit(int status);
  void settle(Verdict verdict);

  EventLoop& loop_;
  Command base_;
  bool enabled_;
  NoticeHandler on_notice_;
  bool serve_ = true, answered_ = false;
  int failures_ = 0;  // in a row
  std::unique_ptr<CoProcess> child_;
  std::shared_ptr<const std::string> stream_;
  std::function<void(const Verdict&)> on_verdict_;
  struct Last {
    TokenReport report;
    std::size_t bytes;
  };
  std::optional<Last> last_;
  EventLoop::Timer patience_;
};

}  // namespace magi::code
