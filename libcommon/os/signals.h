// Signals of a process without an event loop.  An event loop uses its own signal set.
#pragma once

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::os {

// A write to a closed pipe is then EPIPE: for parents of co-processes.
void ignore_sigpipe();
// A filter dies quietly when its reader goes away, even if it was started with SIGPIPE ignored.
void default_sigpipe();

// Catches INT, TERM and HUP while it lives; blocking calls then end with EINTR.  One at a time in a process.
class StopSignals {
 public:
  static Result<StopSignals> catch_signals();
  StopSignals(StopSignals&&) noexcept = default;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  // The first one received, 0 for none.
  int received() const;
  // Readable once one was received; for poll().  Nobody reads it.
  int fd() const { return event_.get(); }

 private:
  explicit StopSignals(Fd event) : event_(std::move(event)) {}
  Fd event_;
};

}  // namespace magi::os
