// magi-compact as a stage: one process a compaction, which works under the lease of this one (magi-locks(7)).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/event/answers.h"
#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

struct CompactionWish {
  std::string trigger;       // manual, automatic, preflight
  std::string instructions;  // of the user; empty: none
};

// What magi-compact reports.
struct CompactionReport {
  std::int64_t generation = 0, tokens_before = 0, tokens_after = 0, requests = 0;
  std::string method, summary;
  event::Usage usage;
};

class CompactStage {
 public:
  // Gives the command without what a wish adds; the lease's descriptor is in it.
  using MakeCommand = std::function<Result<Command>()>;

  CompactStage(EventLoop& loop, MakeCommand command) : loop_(loop), command_(std::move(command)), patience_(loop) {}

  // Calls `on_done` once, from the loop.  After an error the session may be compacted all the same.  Requires: none
  // runs.
  void start(const CompactionWish& wish, std::function<void(Result<CompactionReport>)> on_done);
  // Interrupts it; `on_done` is still called, when it has put everything back or finished.
  void cancel();

 private:
  void on_line(std::string_view line);
  void on_notice(std::string_view line);
  void on_exit(int status);
  Error failure(int status) const;

  EventLoop& loop_;
  MakeCommand command_;
  std::unique_ptr<CoProcess> child_;
  std::string last_error_;
  Result<CompactionReport> report_ = make_error(ErrorCode::kUpstream, "no report");
  std::function<void(Result<CompactionReport>)> on_done_;
  EventLoop::Timer patience_;
};

}  // namespace magi::code
