// magi-replay as a stage: the conversation of a session, read once.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

struct Replayed {
  std::string stream;                 // `conversation` to `end`
  std::vector<std::string> call_ids;  // of its tool calls
};

class ReplayStage {
 public:
  // `command` is magi-replay with the session.
  ReplayStage(EventLoop& loop, Command command, NoticeHandler on_notice)
      : loop_(loop), command_(std::move(command)), on_notice_(std::move(on_notice)) {}

  // How large a session is read: room for its stream is made at once, within reason.
  void expect(std::size_t session_bytes) { replayed_.stream.reserve(std::min<std::size_t>(session_bytes, 64u << 20)); }
  // Calls `on_done` once, from the loop.
  void start(std::function<void(Result<Replayed>)> on_done);

 private:
  void start_child();
  void on_line(std::string_view line);
  void on_exit(int status);

  EventLoop& loop_;
  Command command_;
  NoticeHandler on_notice_;
  std::unique_ptr<CoProcess> child_;
  Replayed replayed_;
  std::string last_notice_;
  std::function<void(Result<Replayed>)> on_done_;
};

}  // namespace magi::code
