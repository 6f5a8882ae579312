// A child that is spoken to in lines.  Both directions are driven by the event loop, so that neither side can block the
// other on a full pipe.  Ends with its owner: the destructor kills it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-code/stage/event_loop.h"

namespace magi::code {

struct Command {
  std::string program;                        // absolute path
  std::vector<std::string> args;              // without argv[0]
  std::vector<std::string> env;               // KEY=VALUE
  std::string cwd;                            // empty: ours
  std::vector<std::pair<int, int>> fds = {};  // besides the standard ones: {ours, number in the child}
};

// A line that a child wrote to its standard error, without its LF.
using NoticeHandler = std::function<void(std::string_view line)>;

class CoProcess {
 public:
  struct Handlers {
    // One line of output without its LF, with json::kPadding readable bytes behind it; valid during the call only.
    std::function<void(std::string_view line)> on_line;
    // After the last line: exit status as a shell reports it (128 + signal where a signal ended it).
    std::function<void(int status)> on_exit;
    // Empty: the child's standard error is dropped.
    NoticeHandler on_notice = {};
    // A longer line of output ends the child.  As long as any stage needs: 16 MiB of tool output as JSON escapes, with
    // a view beside it.
    std::size_t max_line_bytes = 256u * 1024 * 1024;
    // Such a line has come, and the child is about to be ended; whatever its exit status says.
    std::function<void()> on_flood = {};
  };

  // A handler may destroy the CoProcess.
  static Result<std::unique_ptr<CoProcess>> start(EventLoop& loop, const Command& command, Handlers handlers);
  ~CoProcess();
  CoProcess(const CoProcess&) = delete;
  CoProcess& operator=(const CoProcess&) = delete;

  // Queues bytes for its input; never blocks.  After the child has closed its input they are dropped: on_exit tells.
  void send(std::string bytes) { send(std::make_shared<const std::string>(std::move(bytes))); }
  void send(std::shared_ptr<const std::string> bytes);
  // Closes its input once all that was queued has been written.
  void close_input();
  void kill(int signal);
  pid_t pid() const;

 private:
  struct Impl;
  explicit CoProcess(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace magi::code
