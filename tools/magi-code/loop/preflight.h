// What a request weighs before it is sent (K3).  The count is magi-tokens'; it is asked for the first request of a
// process, and again only when the bytes that have come since could have used up the budget: a token is at least a
// byte.
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

class Preflight {
 public:
  // `base` starts magi-tokens without --serve; `enabled` is agent.context.enabled.
  Preflight(EventLoop& loop, Command base, bool enabled);
  ~Preflight();

  // Calls `proceed` when the request may go: at once where the last count leaves no doubt that it fits, else after the
  // new count.  `on_report` is called for each new count, before `proceed` where that waited.
  void check(const std::string& stream, std::function<void(const TokenReport&)> on_report,
             std::function<void()> proceed);
  // True while a count is outstanding.
  bool busy() const { return static_cast<bool>(on_report_); }
  // The history was replaced: the next request is counted anew.
  void reset() { last_.reset(); }

 private:
  bool surely_fits(std::size_t bytes) const;
  void ask(const std::string& stream);
  void on_line(std::string_view line);
  void settle(std::optional<TokenReport> report);

  EventLoop& loop_;
  Command base_;
  bool enabled_;
  bool serve_ = true, answered_ = false, over_ = false;
  std::unique_ptr<CoProcess> child_;
  std::string stream_;
  struct Last {
    TokenReport report;
    std::size_t bytes;
  };
  std::optional<Last> last_;
  std::size_t asked_bytes_ = 0;
  std::function<void(const TokenReport&)> on_report_;
  std::function<void()> proceed_;
  EventLoop::Timer patience_;
};

}  // namespace magi::code
