// Bounds on lock system calls that do not answer.
//
// A non-blocking lock call returns at once on a local file system, but on a network one it waits for a server, and that
// wait cannot be interrupted by a signal.  There such a call is made by a short-lived thread whose answer is awaited
// for a bounded time.  The thread costs some 100 us, so a call goes straight to the kernel where it cannot hang: on a
// file system known to be local, through an fcntl that is the C library's own (lock emulations preload another).
#pragma once

#include <functional>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::os {

// How long a lock service may take to answer: two calls stay within the 10 s of magi-locks(7).
inline constexpr int kLockAnswerTimeoutMs = 4000;

// True unless a lock call on this file is known to be answered at once.  Ask once a file.
bool lock_may_hang(int fd);

// Runs `call`, which returns 0 or an errno value, in a thread of its own and returns that; ETIMEDOUT when it did not
// answer.  In that case `call` may still be running: all that it uses must be owned by it.
int bounded_lock_call(const std::function<int()>& call, int timeout_ms = kLockAnswerTimeoutMs);

// True where another holds the lock; other values mean that locking does not work.
bool is_held_by_other(int error_number);

Error no_locking(std::string_view path, int error_number);
Error lock_busy(std::string_view path);

// Sleeps between attempts: 1 ms, growing to 20; false when `deadline_ns` (monotonic) is over.
class LockBackoff {
 public:
  explicit LockBackoff(int timeout_ms);
  bool wait();

 private:
  long long deadline_ns_;
  int pause_ms_ = 1;
};

}  // namespace magi::os
