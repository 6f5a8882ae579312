#include "libcommon/os/mutation_lock.h"

#include <fcntl.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/sync/file_lock.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "libcommon/os/lock_call.h"

namespace magi::os {
namespace {

using FileLock = boost::interprocess::file_lock;

// Boost opens the file by path, without O_CLOEXEC, and keeps the descriptor to itself.  It is its only member; that the
// number is right is checked against the file that it must name.
int descriptor_of(const FileLock& lock) {
  static_assert(sizeof(FileLock) == sizeof(int));
  int fd = -1;
  std::memcpy(&fd, &lock, sizeof fd);
  return fd;
}

// The one adapter: 0 or an errno value.
template <class Call>
int without_exceptions(const Call& call) {
  try {
    return call();
  } catch (const boost::interprocess::interprocess_exception& failure) {
    return failure.get_native_error() != 0 ? failure.get_native_error() : EIO;
  }
}

// Lock files open in this process.
class OpenFiles {
 public:
  bool add(const FileStamp& stamp) {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const FileStamp& other) { return other.same_file(stamp); };
    if (std::any_of(files_.begin(), files_.end(), same)) return false;
    files_.push_back(stamp);
    return true;
  }
  void remove(const FileStamp& stamp) {
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const FileStamp& other) { return other.same_file(stamp); });
  }

 private:
  std::mutex mutex_;
  std::vector<FileStamp> files_;
};

OpenFiles& open_files() {
  static OpenFiles files;
  return files;
}

// One entry of open_files().
class Registration {
 public:
  explicit Registration(const FileStamp& stamp) : stamp_(stamp), added_(open_files().add(stamp)) {}
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() {
    if (added_) open_files().remove(stamp_);
  }
  bool added() const { return added_; }
  const FileStamp& stamp() const { return stamp_; }

 private:
  FileStamp stamp_;
  bool added_;
};

// The lock and its registration end together, after the last lock call that uses them.
struct OpenLock {
  Registration registration;
  FileLock lock;
  bool may_hang = true;
  explicit OpenLock(const FileStamp& stamp) : registration(stamp) {}
};

Result<std::shared_ptr<OpenLock>> open_lock(const Dir& dir, std::string_view name) {
  const std::string path = dir.path_of(name);
  FileStamp stamp;
  {
    // Closed before anything is locked: closing it later would drop the lock.
    MAGI_TRY(const Fd safe, dir.open_file(name, FileUse::kCreate));
    MAGI_TRY(stamp, stamp_of(safe.get(), path));
  }
  auto opened = std::make_shared<OpenLock>(stamp);
  if (!opened->registration.added())
    return make_error(ErrorCode::kBusy, "cannot lock ", quoted(path), ": this process has it open already");
  const int failed = without_exceptions([&] {
    FileLock lock(path.c_str());
    opened->lock.swap(lock);
    return 0;
  });
  if (failed != 0) return errno_error("cannot open " + quoted(path), failed);
  const int fd = descriptor_of(opened->lock);
  MAGI_TRY(const FileStamp actual, stamp_of(fd, path));
  if (!actual.same_file(stamp))
    return make_error(ErrorCode::kUnsafe, "refusing ", quoted(path), ": replaced while it was opened");
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return errno_error("cannot open " + quoted(path), errno);
  opened->may_hang = lock_may_hang(fd);
  return opened;
}

// These three: 0 or an errno value.
int try_shared(OpenLock& open) {
  return without_exceptions([&] { return open.lock.try_lock_sharable() ? 0 : EAGAIN; });
}

int try_exclusive(OpenLock& open) {
  return without_exceptions([&] { return open.lock.try_lock() ? 0 : EAGAIN; });
}

int unlock(OpenLock& open) {
  return without_exceptions([&] {
    open.lock.unlock();  // of either mode
    return 0;
  });
}

int bounded(const std::shared_ptr<OpenLock>& open, int (*call)(OpenLock&)) {
  if (!open->may_hang) return call(*open);
  return bounded_lock_call([open, call] { return call(*open); });
}

}  // namespace

struct MutationLock::Impl {
  const Dir* dir;
  std::string name;
  std::shared_ptr<OpenLock> open;
};

MutationLock::MutationLock(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MutationLock::MutationLock(MutationLock&&) noexcept = default;
MutationLock& MutationLock::operator=(MutationLock&&) noexcept = default;
MutationLock::~MutationLock() = default;

Result<MutationLock> MutationLock::open(const Dir& dir, std::string_view name) {
  MAGI_TRY(auto opened, open_lock(dir, name));
  return MutationLock(std::make_unique<Impl>(Impl{&dir, std::string(name), std::move(opened)}));
}

Result<MutationLock::Held> MutationLock::acquire(Mode mode, int timeout_ms) {
  LockBackoff backoff(timeout_ms);
  const std::string path = impl_->dir->path_of(impl_->name);
  while (true) {
    const int failed = bounded(impl_->open, mode == Mode::kShared ? &try_shared : &try_exclusive);
    if (failed == 0) {
      Held held(*this);
      auto now = impl_->dir->stamp(impl_->name);
      if (!now && now.error().code != ErrorCode::kNotFound) return std::move(now.error());
      if (now && now->same_file(impl_->open->registration.stamp())) return held;
    } else if (!is_held_by_other(failed)) {
      return no_locking(path, failed);
    }
    if (failed == 0) {
      // The file was removed with its session and may exist anew: what has the name is what others lock.
      MAGI_TRY(impl_->open, open_lock(*impl_->dir, impl_->name));
    }
    if (!backoff.wait()) return lock_busy(path);
  }
}

MutationLock::Held::~Held() {
  if (lock_ != nullptr) static_cast<void>(bounded(lock_->impl_->open, &unlock));
}

}  // namespace magi::os
