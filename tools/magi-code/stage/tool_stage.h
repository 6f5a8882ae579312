// magi-tool as a stage: one `--serve` host that keeps what must outlive a call.  A host that crashes, hangs or floods
// costs one result: the call that it was at gets an error result, a new host gets the rest.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/event/answers.h"
#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

class ToolStage {
 public:
  struct Handlers {
    std::function<void(const event::ToolProgress&)> on_progress;
    // Exactly once a call, in call order.
    std::function<void(event::ToolAnswer)> on_result;
  };

  // `base` starts magi-tool without --serve or --list.
  ToolStage(EventLoop& loop, Command base);
  ~ToolStage();

  // Asks for the definitions with a process of its own; `on_done` gets them as one JSON array, or the error.
  void list(std::function<void(Result<std::string>)> on_done);
  // Starts the host ahead of its first call.
  Result<void> start();
  void call(event::ToolCall call, Handlers handlers);
  // Ends every open call; their results still arrive, as `cancelled`.
  void cancel();
  // Closes the host's input and gives it a moment to end what it runs.
  void shutdown();

 private:
  struct Pending {
    event::ToolCall call;
    Handlers handlers;
  };
  void send_front_to_host();
  void on_line(std::string_view line);
  void on_exit(int status);
  void answer(event::ToolAnswer answer);
  void answer_front(std::string_view status, std::string text);
  void arm_watchdog();

  EventLoop& loop_;
  Command base_;
  std::unique_ptr<CoProcess> host_, lister_;
  std::string list_lines_;
  bool serve_ = true, host_answered_ = false, cancelled_ = false, exited_ = false;
  std::deque<Pending> pending_;
  json::Parser parser_;
  EventLoop::Timer watchdog_;
};

}  // namespace magi::code
