// An exclusive lock on a lock file for as long as an object lives, or its process: open-file-description locks, so that
// two holders in one process exclude each other too and no close elsewhere drops it.
//
// Never blocks without a bound.  F_OFD_SETLK does not wait for a holder, but a lock service that hangs may not answer
// at all; see lock_call.h.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/safe_open.h"

namespace magi::os {

// magi-locks(7).
inline constexpr int kLeaseTimeoutMs = 1800;  // "busy" is to come within 2 s
inline constexpr int kMutationTimeoutMs = 10000;

class Lease {
 public:
  // Creates the lock file when it is missing.  kBusy when another holds it for all of `timeout_ms` (0: one attempt);
  // kIo "locking not available" when the lock service fails or does not answer.
  static Result<Lease> acquire(const Dir& dir, std::string_view name, int timeout_ms = kLeaseTimeoutMs);

  // A lease handed over as an inherited descriptor: checked to name the lock file and to be held through it.
  static Result<Lease> adopt(Fd fd, const Dir& dir, std::string_view name);

  // For handing to a child; the lock lives until every copy is closed.
  int fd() const { return fd_.get(); }

 private:
  explicit Lease(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace magi::os
