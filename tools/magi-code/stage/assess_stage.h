// magi-assess, or what settings name in its place, as a stage: asked about one result at a time.  One that dies, hangs
// or answers something else costs that assessment, and is started again for the next.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/event/assessment.h"
#include "tools/magi-code/stage/co_process.h"

namespace magi::code {

class AssessStage {
 public:
  using Done = std::function<void(Result<event::AssessmentAnswer>)>;

  // `command` starts magi-assess without --serve, or the shell command of the user's where `is_external`: that speaks
  // the stream as it is, and is given more time.
  AssessStage(EventLoop& loop, std::function<Result<Command>()> command, bool is_external, NoticeHandler on_notice);
  ~AssessStage();

  // `done` is called once, from the loop.  Requires: no request is open.
  void assess(const event::Assess& request, Done done);
  // Ends the open request, if any, with kCancelled.
  void cancel();

 private:
  Result<void> start();
  void send();
  void on_line(std::string_view line);
  void on_exit(int status);
  void settle(Result<event::AssessmentAnswer> answer);

  EventLoop& loop_;
  std::function<Result<Command>()> command_;
  bool is_external_;
  NoticeHandler on_notice_;
  bool serve_ = true, answered_ = false;
  std::unique_ptr<CoProcess> child_;
  event::Assess request_;
  Done done_;
  EventLoop::Timer patience_;
};

}  // namespace magi::code
