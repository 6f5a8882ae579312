// An installed `claude` as a child that is spoken to in lines.  Never waits; ends, with all that it started, no later
// than its owner.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"

namespace magi::provider {

class ClaudeProcess {
 public:
  struct Start {
    std::string program;
    std::vector<std::string> args, env;
    std::string long_prompt;  // readable by the child as /dev/fd/3; empty: none
  };
  static Result<ClaudeProcess> start(const Start& start);

  // Queues bytes for its input.
  void send(std::string_view bytes) { pending_.append(bytes); }
  // Once what is queued has been written.
  void close_input() { closing_ = true; }

  // Writes and reads what it can.  True where something came: its lines are to be taken before it is waited for again.
  bool step();
  // Writes what it can.
  void write_pending();
  // The next line of its output; valid until the next call.  A line over the limit is passed over.
  std::optional<std::string_view> next_line();
  void watch(std::vector<pollfd>& watched) const;

  // Its output has ended.  Lines may still be waiting.
  bool at_end() const { return !output_; }
  // Waits for it, for a moment; 128 + signal where a signal ended it.  Requires: at_end().
  int exit_status();
  // What it has said on its standard error last, on one line.
  std::string complaint() const;

 private:
  ClaudeProcess() : lines_(kMaxLineBytes) {}
  static constexpr std::size_t kMaxLineBytes = 32u << 20;

  os::Fd input_, output_, errors_;
  os::Child child_;  // behind the pipes: it is gone before they are
  os::LineSplitter lines_;
  std::string pending_, said_;
  bool closing_ = false, rest_taken_ = false;
};

}  // namespace magi::provider
