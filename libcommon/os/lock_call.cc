#include "libcommon/os/lock_call.h"

#include <linux/magic.h>
#include <pthread.h>
#include <sys/vfs.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "libcommon/base/clock.h"

namespace magi::os {
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr long kXfsMagic = 0x58465342, kZfsMagic = 0x2fc12fc1, kBcachefsMagic = 0xca451a4e;

std::atomic<bool> a_call_has_answered{false};

bool is_local(int fd) {
  struct statfs status{};
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
    case static_cast<unsigned long>(kBcachefsMagic):
      return true;
    default:
      return false;
  }
}

struct Asked {
  std::function<int()> call;
  std::mutex mutex;
  std::condition_variable answered;
  bool done = false;
  int result = 0;
};

void* answer(void* argument) {
  const std::unique_ptr<std::shared_ptr<Asked>> holder(static_cast<std::shared_ptr<Asked>*>(argument));
  const std::shared_ptr<Asked> asked = *holder;
  const int result = asked->call();
  const std::lock_guard lock(asked->mutex);
  asked->result = result;
  asked->done = true;
  asked->answered.notify_one();
  return nullptr;
}

int start_thread(const std::shared_ptr<Asked>& asked) {
  pthread_attr_t attributes;
  if (const int failed = pthread_attr_init(&attributes)) return failed;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  auto argument = std::make_unique<std::shared_ptr<Asked>>(asked);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, &answer, argument.get());
  if (failed == 0) static_cast<void>(argument.release());  // the thread owns it
  pthread_attr_destroy(&attributes);
  return failed;
}

}  // namespace

int bounded_lock_call(int fd, const std::function<int()>& call) {
  if (a_call_has_answered.load(std::memory_order_relaxed) && is_local(fd)) return call();
  const auto asked = std::make_shared<Asked>();
  asked->call = call;
  if (const int failed = start_thread(asked)) return failed;
  std::unique_lock lock(asked->mutex);
  const auto limit = std::chrono::milliseconds(kLockAnswerTimeoutMs);
  if (!asked->answered.wait_for(lock, limit, [&] { return asked->done; })) return ETIMEDOUT;
  a_call_has_answered = true;
  return asked->result;
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
