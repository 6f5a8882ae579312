// magi-provider as a stage: one long-lived `--serve` child that is asked one request at a time.  A replacement that
// does not serve (it exits 2 before it has answered) is started once for each request instead.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "libcommon/event/answers.h"
#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

using ProviderRecord = std::variant<event::Attempt, event::Text, event::Reasoning, event::ToolProgress, event::ToolCall,
                                    event::ProviderItem, event::Usage, event::Trace, event::Done, event::ProviderError>;

class ProviderStage {
 public:
  // Records of one answer in order; the last is a Done or a ProviderError.  A child that ends without one, or writes
  // what is not a record, gives a retryable ProviderError made here.
  using OnRecord = std::function<void(const ProviderRecord&)>;

  // `base` starts magi-provider without --serve.
  ProviderStage(EventLoop& loop, Command base, NoticeHandler on_notice);
  ~ProviderStage();

  // Starts the child ahead of the first request, so that it can load and connect meanwhile.
  Result<void> start();
  // `stream` is a whole conversation stream, `request` to `end`.  Requires: no answer is open.
  void ask(std::string request_id, std::shared_ptr<const std::string> stream, OnRecord on_record);
  // Ends the open answer; its Done with status `cancelled` still arrives through on_record.
  void cancel();

 private:
  void on_line(std::string_view line);
  void on_exit(int status);
  void deliver(const ProviderRecord& record);
  void fail(std::string message);

  EventLoop& loop_;
  Command base_;
  std::unique_ptr<CoProcess> child_;
  bool serve_ = true;
  bool answered_ = false;  // the child has written a record since it was started
  bool cancelled_ = false;
  bool open_ = false;
  bool partial_ = false;  // output of this answer has been delivered
  NoticeHandler on_notice_;
  std::string request_id_, last_notice_;
  std::shared_ptr<const std::string> stream_;
  OnRecord on_record_;
  json::Parser parser_;
  EventLoop::Timer cancel_guard_;
};

}  // namespace magi::code
