#include "libcommon/os/lock_call.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/magic.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/vfs.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include "libcommon/base/clock.h"

namespace magi::os {
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr long kXfsMagic = 0x58465342, kZfsMagic = 0x2fc12fc1, kBcachefsMagic = 0xca451a4e;

bool is_local(int fd) {
  struct statfs status {};
  if (::fstatfs(fd, &status) != 0) return false;
  switch (static_cast<unsigned long>(status.f_type)) {
    case EXT4_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case static_cast<unsigned long>(kXfsMagic):
    case static_cast<unsigned long>(kZfsMagic):
    case static_cast<unsigned long>(kBcachefsMagic): return true;
    default: return false;
  }
}

bool is_own_fcntl() {
  static const bool own = [] {
    dl_find_object locks{}, library{};
    return _dl_find_object(reinterpret_cast<void*>(&::fcntl), &locks) == 0 &&
           _dl_find_object(reinterpret_cast<void*>(&::gnu_get_libc_version), &library) == 0 &&
           locks.dlfo_link_map == library.dlfo_link_map;
  }();
  return own;
}

// Shared by the asking thread and the answering one; whichever is last to leave deletes it.  Nothing here allocates or
// frees in the answering thread unless the other has given up: an allocator arena of its own would cost more than it.
class Question {
 public:
  explicit Question(const std::function<int()>& call) : call_(call) { sem_init(&answered_, 0, 0); }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() { sem_destroy(&answered_); }

  void answer() {
    result_ = call_();
    if (left_.exchange(true))
      delete this;
    else
      sem_post(&answered_);
  }

  int await(int timeout_ms) {
    timespec deadline{};
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_nsec += timeout_ms % 1000 * 1'000'000L;
    deadline.tv_sec += timeout_ms / 1000 + deadline.tv_nsec / 1'000'000'000;
    deadline.tv_nsec %= 1'000'000'000;
    while (sem_clockwait(&answered_, CLOCK_MONOTONIC, &deadline) != 0) {
      if (errno == EINTR) continue;
      if (!left_.exchange(true)) return ETIMEDOUT;
      // The answer came at the last moment.
      while (sem_wait(&answered_) != 0) {
      }
      break;
    }
    const int result = result_;
    delete this;
    return result;
  }

 private:
  std::function<int()> call_;
  sem_t answered_;
  int result_ = 0;
  std::atomic<bool> left_{false};
};

void* answer(void* question) {
  static_cast<Question*>(question)->answer();
  return nullptr;
}

// All signals blocked: they are for the threads that expect them.
int start_thread(Question* question) {
  sigset_t all;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (const int failed = pthread_attr_init(&attributes)) return failed;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setsigmask_np(&attributes, &all);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, &answer, question);
  pthread_attr_destroy(&attributes);
  return failed;
}

}  // namespace

bool lock_may_hang(int fd) { return !is_own_fcntl() || !is_local(fd); }

int bounded_lock_call(const std::function<int()>& call, int timeout_ms) {
  auto question = std::make_unique<Question>(call);
  if (const int failed = start_thread(question.get())) return failed;
  return question.release()->await(timeout_ms);
}

bool is_held_by_other(int error_number) { return error_number == EAGAIN || error_number == EACCES; }

Error no_locking(std::string_view path, int error_number) {
  const std::string why = error_number == ETIMEDOUT ? "the lock service does not answer" : std::strerror(error_number);
  return make_error(ErrorCode::kIo, "cannot lock ", quoted(path), ": locking not available (", why, ")");
}

Error lock_busy(std::string_view path) {
  return make_error(ErrorCode::kBusy, "cannot lock ", quoted(path), ": another process holds it");
}

LockBackoff::LockBackoff(int timeout_ms) : deadline_ns_(monotonic_ns() + timeout_ms * 1'000'000LL) {}

bool LockBackoff::wait() {
  constexpr int kLongestPauseMs = 20;
  const long long left_ns = deadline_ns_ - monotonic_ns();
  if (left_ns <= 0) return false;
  const timespec pause{0, static_cast<long>(std::min<long long>(left_ns, pause_ms_ * 1'000'000LL))};
  ::nanosleep(&pause, nullptr);
  pause_ms_ = std::min(pause_ms_ * 2, kLongestPauseMs);
  return true;
}

}  // namespace magi::os
