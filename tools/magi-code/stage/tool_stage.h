// magi-tool as a stage: one `--serve` host that keeps what must outlive a call.  A host that crashes, hangs or floods
// costs one result: the call that it was at gets an error result, a new host gets the rest, and is told what the model
// has seen of files, so that stale writes are refused across hosts.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/event/answers.h"
#include "tools/magi-code/loop/tool_dispatcher.h"
#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

class ToolStage : public ToolDispatcher {
 public:
  // `base` starts magi-tool without --serve or --list.
  ToolStage(EventLoop& loop, Command base, NoticeHandler on_notice);
  ~ToolStage() override;

  // Asks for the definitions with a process of its own; `on_done` gets them as one JSON array, or the error.
  void list(std::function<void(Result<std::string>)> on_done);
  // Starts the host and takes what it lists before it serves: for one whose definitions come from what it starts.  It
  // is given up after `limit_ms`.
  void list_from_host(int limit_ms, std::function<void(Result<std::string>)> on_done);
  void prepare() override { (void)start(); }
  void call(event::ToolCall call, ToolHandlers handlers) override;
  void cancel() override;
  // Closes the host's input and gives it a moment to end what it runs.
  void shutdown(int limit_ms = 500);

 private:
  struct Pending {
    event::ToolCall call;
    ToolHandlers handlers;
  };
  Result<void> start();
  void send_front();
  void add_definition(const json::Node& node);
  void end_host_list(Result<std::string> outcome);
  void on_line(std::string_view line);
  void on_exit(int status);
  void answer(event::ToolAnswer answer);
  void answer_front(std::string_view status, std::string text);
  void remember_observed(const event::ToolAnswer& answer);
  std::string observed_json() const;
  void arm_watchdog();

  EventLoop& loop_;
  Command base_;
  NoticeHandler on_notice_;
  std::unique_ptr<CoProcess> host_, lister_;
  std::string list_lines_, last_notice_;
  bool list_failed_ = false;
  std::function<void(Result<std::string>)> on_host_list_;  // until the host has listed
  bool serve_ = true, host_answered_ = false, host_is_new_ = false, cancelled_ = false, exited_ = false;
  bool front_sent_ = false;  // the call at the front is with the host
  std::deque<Pending> pending_;
  std::map<std::string, std::string> observed_;  // path -> SHA-256 of what the model saw last
  json::Parser parser_;
  EventLoop::Timer watchdog_, list_limit_;
};

}  // namespace magi::code
