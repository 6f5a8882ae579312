// The calls and cancellations that arrive on standard input.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/event/stream.h"
#include "libcommon/json/node.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-tool/event_loop.h"

namespace magi::toolbox {

class Inbox {
 public:
  // Reads `fd` through the loop; a file, which is always ready, only when a call is asked for.
  Inbox(EventLoop& loop, int fd);
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // The next call; nothing at the end of the input.  Runs the loop meanwhile, until `stop` holds (then nothing, too).
  // kBadRecord: a line that is no record or a call that lacks a field; nothing more is read then.
  Result<std::optional<event::ToolCall>> next(const std::function<bool()>& stop);

  // The call taken last, or one still waiting, was cancelled.
  bool is_cancelled() const { return cancelled_; }
  bool at_end() const { return at_end_; }
  // Reads what has arrived, without waiting: for work that does not run the loop.
  void look();

 private:
  struct Waiting {
    event::ToolCall call;
    bool cancelled = false;
  };
  bool read_some();
  void take_lines();
  void take_line(std::string_view line);
  void cancel(const std::string& call_id);
  void fail(const Error& why);

  EventLoop& loop_;
  std::shared_ptr<Inbox*> alive_ = std::make_shared<Inbox*>(this);  // the loop may outlive this
  int fd_;
  os::Fd own_;  // a description of our own, so that the one shared with others stays as it is
  bool is_file_ = false;
  os::LineSplitter lines_;
  json::Parser parser_;
  std::int64_t line_number_ = 0;
  std::deque<Waiting> waiting_;
  std::string current_;  // call_id
  bool cancelled_ = false, at_end_ = false;
  std::optional<Error> error_;
};

}  // namespace magi::toolbox
