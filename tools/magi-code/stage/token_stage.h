// magi-tokens as a stage: what a request weighs before it is sent (K3).  It is asked for the first request, and again
// only when the bytes that have come since could have reached a limit: a token is at least a byte.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

struct TokenReport {
  std::int64_t total = 0, fixed_overhead = 0, max_tokens = 0, usable = 0;
  std::optional<std::int64_t> compaction_cutoff;  // nothing: automatic compaction is off
  double percent = 0;
  std::string method;
  bool fits = true;
  std::string json;  // as magi-tokens wrote it
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
  // `count_all`: every request is counted, since what providers report is compared with the counts.
  TokenStage(EventLoop& loop, Command base, bool enabled, bool count_all, NoticeHandler on_notice);
  ~TokenStage();

  // Starts the child ahead of the first request.
  Result<void> start();
  // Calls `on_verdict` once: at once where no count is needed, else within five seconds.  Requires: no check is open.
  void check(std::shared_ptr<const std::string> stream, std::function<void(const Verdict&)> on_verdict);
  // The same, never without a count, also where checks are off.
  void count(std::shared_ptr<const std::string> stream, std::function<void(const Verdict&)> on_verdict);
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
  bool enabled_, count_all_;
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
