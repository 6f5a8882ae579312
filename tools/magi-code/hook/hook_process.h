// One run of one hook: JSON in, bounded output and time, its process group killed at the end of either.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

// What a hook may write to each of its outputs.
inline constexpr std::size_t kMostHookOutput = 64 * 1024;

struct HookEnd {
  enum class How { kExited, kNotStarted, kTimedOut, kFlooded, kCancelled } how = How::kExited;
  int status = 0;  // of kExited; 128 + signal where a signal ended it
  std::string output, errors;
  std::string why;  // of kNotStarted
  std::int64_t duration_ms = 0;
};

class HookProcess {
 public:
  explicit HookProcess(EventLoop& loop) : loop_(loop), limit_(loop) {}

  // `on_end` is called once, from the loop.  It ends when its outputs are closed.  Requires: !running().
  void start(const Command& command, std::string input, int timeout_ms, std::function<void(HookEnd)> on_end);
  bool running() const { return on_end_ != nullptr; }
  void cancel() { end(HookEnd::How::kCancelled); }

 private:
  void take(std::string& into, std::string_view line);
  void end(HookEnd::How how, int status = 0);

  EventLoop& loop_;
  EventLoop::Timer limit_;
  std::unique_ptr<CoProcess> process_;
  std::function<void(HookEnd)> on_end_;
  HookEnd end_;
  std::int64_t began_ns_ = 0;
};

}  // namespace magi::code
