#include "libcommon/os/lease.h"

#include <fcntl.h>

#include <cerrno>
#include <memory>

#include "libcommon/os/disk.h"
#include "libcommon/os/lock_call.h"

namespace magi::os {
namespace {

// 0 or an errno value.
int set_lock(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  while (disk().ofd_setlk(fd, &lock) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

int try_lock(const Fd& fd, bool may_hang) {
  if (!may_hang) return set_lock(fd.get());
  // On a descriptor of its own: if the call never answers, the caller goes on without it, and the lock, should it still
  // come, goes when that descriptor does.
  auto copy = duplicate(fd.get());
  if (!copy) return EMFILE;
  const auto shared = std::make_shared<Fd>(std::move(*copy));
  return bounded_lock_call([shared] { return set_lock(shared->get()); });
}

Result<bool> names_file(const Dir& dir, std::string_view name, int fd) {
  MAGI_TRY(const FileStamp ours, stamp_of(fd, dir.path_of(name)));
  auto now = dir.stamp(name);
  if (!now && now.error().code == ErrorCode::kNotFound) return false;
  if (!now) return std::move(now.error());
  return now->same_file(ours);
}

}  // namespace

Result<Lease> Lease::acquire(const Dir& dir, std::string_view name, int timeout_ms) {
  LockBackoff backoff(timeout_ms);
  MAGI_TRY(Fd fd, dir.open_file(name, FileUse::kCreate));
  const bool may_hang = lock_may_hang(fd.get());
  while (true) {
    const int failed = try_lock(fd, may_hang);
    if (failed == 0) {
      MAGI_TRY(const bool current, names_file(dir, name, fd.get()));
      if (current) return Lease(std::move(fd));
      // Whoever removed the file held it; what has the name now is what others lock.
      MAGI_TRY(fd, dir.open_file(name, FileUse::kCreate));
    } else if (!is_held_by_other(failed)) {
      return no_locking(dir.path_of(name), failed);
    }
    if (!backoff.wait()) return lock_busy(dir.path_of(name));
  }
}

Result<Lease> Lease::adopt(Fd fd, const Dir& dir, std::string_view name) {
  MAGI_TRY(const bool current, names_file(dir, name, fd.get()));
  if (!current) return make_error(ErrorCode::kUsage, "the descriptor is not of ", quoted(dir.path_of(name)));
  // Locking again through the same description succeeds, and fails through any other while it is held.
  const int failed = try_lock(fd, lock_may_hang(fd.get()));
  if (is_held_by_other(failed)) return lock_busy(dir.path_of(name));
  if (failed != 0) return no_locking(dir.path_of(name), failed);
  return Lease(std::move(fd));
}

}  // namespace magi::os
