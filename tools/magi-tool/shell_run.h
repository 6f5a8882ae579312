// One command, run by magi-confine: its output as it comes, how it ended, and its end with everything it started.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "tools/magi-tool/event_loop.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {

struct ShellLaunch {
  std::string confine;               // path of magi-confine
  std::vector<std::string> options;  // of it
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string folder;
};

class ShellRun : public std::enable_shared_from_this<ShellRun> {
 public:
  enum class State {
    kRunning,
    kExited,    // code() is the exit status
    kSignaled,  // code() is the signal
    kRefused,   // not started: could not be confined; why()
    kFailed,    // not started; why()
    kKilled,    // by kill()
    kLost,      // magi-confine ended without a word
  };

  static Result<std::shared_ptr<ShellRun>> start(EventLoop& loop, const ShellLaunch& launch);
  // Whatever still runs is killed.
  ~ShellRun() { kill(); }
  ShellRun(const ShellRun&) = delete;
  ShellRun& operator=(const ShellRun&) = delete;

  State state() const { return state_; }
  bool ended() const { return state_ != State::kRunning; }
  int code() const { return code_; }
  const std::string& why() const { return why_; }
  // Of magi-confine; -1 once it is gone, and with it everything that the command started.
  pid_t supervisor() const { return supervisor_; }
  bool gone() const { return supervisor_ < 0; }

  // The command left processes in the background when it ended.
  bool left_running() const { return left_running_; }

  // Both streams as they came, and each by itself (its ends only).
  const HeadTail& output() const { return output_; }
  const HeadTail& stdout_ends() const { return stdout_ends_; }
  const HeadTail& stderr_ends() const { return stderr_ends_; }
  // Takes what came since the last call; for jobs, whose output is read in pieces.
  std::string take_output();

  // Asks the command's process group to end (SIGTERM).
  void terminate();
  // Ends everything, at once and certainly; gone() follows.
  void kill() { host_.reset(); }
  // Called with each piece of output.  Empty: nobody.
  void on_output(std::function<void(std::string_view)> listener) { listener_ = std::move(listener); }

 private:
  ShellRun();
  void watch(EventLoop& loop, os::Fd out, os::Fd err, os::Fd status);
  bool read_stream(const os::Fd& fd, HeadTail& ends);
  struct Ends;
  bool read_status(const Ends& ends);
  void on_status_line(std::string_view line);

  State state_ = State::kRunning;
  int code_ = 0;
  bool left_running_ = false;
  std::string why_, status_text_;
  pid_t supervisor_ = -1;
  os::Fd host_;  // its closing is what kills
  HeadTail output_, stdout_ends_, stderr_ends_;
  std::function<void(std::string_view)> listener_;
};

}  // namespace magi::toolbox
