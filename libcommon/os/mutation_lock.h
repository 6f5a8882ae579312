// The lock that orders changes of a session file against each other (magi-locks(7)): shared for each append
// and for an export, exclusive for rotation, rewind and deletion.  A Boost.Interprocess file_lock.
//
// Such a lock belongs to the process: closing any descriptor of its file drops it, and a second one in the same process
// is granted.  So nothing else opens the lock file, and a second MutationLock on it in one process is refused.
#pragma once

#include <memory>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/lease.h"
#include "libcommon/os/safe_open.h"

namespace magi::os {

class MutationLock {
 public:
  enum class Mode { kShared, kExclusive };

  // Opens the lock file, creating it when it is missing.  Takes no lock yet.  `dir` must outlive this object.
  static Result<MutationLock> open(const Dir& dir, std::string_view name);
  MutationLock(MutationLock&&) noexcept;
  MutationLock& operator=(MutationLock&&) noexcept;
  ~MutationLock();

  class Held {
   public:
    explicit Held(MutationLock& lock) : lock_(&lock) {}
    Held(Held&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held();

   private:
    MutationLock* lock_;
  };
  // Released when the result is destroyed.  kBusy after `timeout_ms`; kIo "locking not available" when the lock
  // service fails or does not answer.  Requires: not held already.
  Result<Held> acquire(Mode mode, int timeout_ms = kMutationTimeoutMs);

 private:
  struct Impl;
  explicit MutationLock(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::os
