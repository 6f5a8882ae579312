#include "tools/magi-tool/publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/disk.h"

namespace magi::toolbox {
namespace {

Error cannot_write(std::string_view shown, int error = errno) {
  return errno_error("cannot write " + quoted(shown), error);
}

Error conflict(std::string_view shown) {
  return make_error(ErrorCode::kBusy, "conflict: ", quoted(shown),
                    " was changed by another process meanwhile; its change stands and nothing was written");
}

// The same content for all that can be told without reading: a rename changes ctime, so that does not count.
bool same_content(const Stamp& a, const Stamp& b) {
  return a.device == b.device && a.inode == b.inode && a.size == b.size && a.mtime_ns == b.mtime_ns;
}

Result<void> write_from_start(int fd, std::string_view content, std::string_view shown) {
  off_t at = 0;
  while (!content.empty()) {
    const ssize_t written = os::disk().pwrite(fd, content.data(), content.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write(shown);
    at += written;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// New content without its final name.  Unnamed while it is written, so that a crash leaves nothing; the name that it
// then needs for an instant follows from the target's, so that the next write of the target finds and removes a left
// one.
class Draft {
 public:
  static Result<Draft> create(const Workspace::Slot& slot, mode_t mode, std::string_view shown) {
    Draft draft(slot);
    draft.fd_.reset(os::disk().openat(slot.folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (draft.fd_) {
      ::flock(draft.fd_.get(), LOCK_EX | LOCK_NB);
      return draft;
    }
    MAGI_CHECK(draft.name_it(shown, [&] {
      draft.fd_.reset(
          os::disk().openat(slot.folder.get(), draft.name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode));
      if (draft.fd_) ::flock(draft.fd_.get(), LOCK_EX | LOCK_NB);
      return static_cast<bool>(draft.fd_);
    }));
    return draft;
  }
  Draft(Draft&& other) noexcept
      : slot_(other.slot_),
        name_(std::move(other.name_)),
        fd_(std::move(other.fd_)),
        named_(std::exchange(other.named_, false)) {}
  Draft& operator=(Draft&&) = delete;
  ~Draft() {
    if (named_) os::disk().unlinkat(slot_.folder.get(), name_.c_str(), 0);
  }

  int fd() const { return fd_.get(); }
  const std::string& name() const { return name_; }

  // Requires: created unnamed, or named already.
  Result<void> give_name(std::string_view shown) {
    if (named_) return {};
    return name_it(shown, [&] { return link_as(name_); });
  }
  bool is_named() const { return named_; }
  // False with errno; EEXIST when the name is taken.
  bool link_as(const std::string& name) const {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_.get());
    return os::disk().linkat(AT_FDCWD, self.c_str(), slot_.folder.get(), name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }
  // The name now belongs to something else, or to nothing.
  void forget_name() { named_ = false; }

 private:
  explicit Draft(const Workspace::Slot& slot)
      : slot_(slot), name_(".magi-" + sha256_hex(slot.name).substr(0, 16) + ".tmp") {}

  template <class Create>
  Result<void> name_it(std::string_view shown, Create create) {
    for (int attempt = 0; attempt < 3; ++attempt) {
      if (create()) {
        named_ = true;
        return {};
      }
      if (errno != EEXIST) return cannot_write(shown);
      // Its writer holds a lock on it as long as it lives.
      const os::Fd left(
          os::disk().openat(slot_.folder.get(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
      if (left && ::flock(left.get(), LOCK_EX | LOCK_NB) != 0) break;
      os::disk().unlinkat(slot_.folder.get(), name_.c_str(), 0);
    }
    return make_error(ErrorCode::kBusy, "another process is writing ", quoted(shown));
  }

  const Workspace::Slot& slot_;
  std::string name_;
  os::Fd fd_;
  bool named_ = false;
};

// What cannot be carried over (an attribute of another security module) is left behind.
void copy_attributes(int from, int to) {
  std::array<char, 4096> names;
  const ssize_t size = ::flistxattr(from, names.data(), names.size());
  for (ssize_t at = 0; at < size;) {
    const char* const name = names.data() + at;
    at += static_cast<ssize_t>(std::strlen(name)) + 1;
    if (std::string_view(name).starts_with("security.")) continue;
    std::vector<char> value(65536);
    const ssize_t length = ::fgetxattr(from, name, value.data(), value.size());
    if (length >= 0) ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(length), 0);
  }
}

// False when the draft cannot belong to the old owner.
bool take_over(int old, const struct stat& status, int draft) {
  struct stat now {};
  if (::fstat(draft, &now) != 0) return false;
  if ((now.st_uid != status.st_uid || now.st_gid != status.st_gid) &&
      ::fchown(draft, status.st_uid, status.st_gid) != 0)
    return false;
  if (::fchmod(draft, status.st_mode & 07777) != 0) return false;
  copy_attributes(old, draft);
  return true;
}

Result<void> check_writable(const Workspace::Slot& slot, const FileBytes& old, std::string_view shown) {
  const auto refuse = [&](std::string_view why) {
    return make_error(ErrorCode::kDenied, quoted(shown), " is read-only", why, "; nothing was written");
  };
  if ((old.status.st_mode & 0222) == 0) return refuse(" by its mode");
  if (::faccessat(slot.folder.get(), slot.name.c_str(), W_OK, AT_EACCESS) == 0) return {};
  return errno == ENOENT ? conflict(shown) : refuse(" for this user");
}

Result<Stamp> stamp_of_file(int fd, std::string_view shown) {
  struct stat status {};
  if (os::disk().fstat(fd, &status) != 0) return cannot_write(shown);
  return stamp_of(status);
}

// Room for what a file grows by, before its old content is touched: a full disk then costs nothing.
Result<void> reserve_growth(int fd, std::int64_t old_size, std::size_t new_size, std::string_view shown) {
  const auto growth = static_cast<std::int64_t>(new_size) - old_size;
  if (growth <= 0) return {};
  const int failed = ::posix_fallocate(fd, old_size, growth);
  if (failed == 0 || failed == EOPNOTSUPP || failed == EINVAL) return {};
  (void)os::disk().ftruncate(fd, old_size);
  errno = failed;
  return cannot_write(shown);
}

Result<Stamp> write_in_place(const Workspace::Slot& slot, std::string_view content, const FileBytes& old,
                             std::string_view shown) {
  const os::Fd fd(
      os::disk().openat(slot.folder.get(), slot.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!fd) return cannot_write(shown);
  MAGI_TRY(const Stamp now, stamp_of_file(fd.get(), shown));
  if (!same_content(now, old.stamp())) return conflict(shown);
  MAGI_CHECK(reserve_growth(fd.get(), now.size, content.size(), shown));
  MAGI_CHECK(write_from_start(fd.get(), content, shown));
  if (os::disk().ftruncate(fd.get(), static_cast<off_t>(content.size())) != 0 || os::disk().fdatasync(fd.get()) != 0)
    return cannot_write(shown);
  return stamp_of_file(fd.get(), shown);
}

Result<void> put_in_place_of(const Workspace::Slot& slot, Draft& draft, const FileBytes& old, std::string_view shown) {
  const int folder = slot.folder.get();
  MAGI_CHECK(draft.give_name(shown));
  const char* const from = draft.name().c_str();
  const char* const to = slot.name.c_str();
  if (::renameat2(folder, from, folder, to, RENAME_EXCHANGE) != 0) {
    if (errno == ENOENT) return conflict(shown);
    if (errno != EINVAL && errno != ENOSYS) return cannot_write(shown);
    // A file system without exchange: what changes between the check before and this line would be lost.
    if (os::disk().renameat(folder, from, folder, to) != 0) return cannot_write(shown);
    draft.forget_name();
    return {};
  }
  // The draft's name now holds what was replaced: only here is it certain what that is.
  struct stat replaced {};
  if (os::disk().fstatat(folder, from, &replaced, AT_SYMLINK_NOFOLLOW) == 0 &&
      same_content(stamp_of(replaced), old.stamp()))
    return {};
  if (::renameat2(folder, from, folder, to, RENAME_EXCHANGE) == 0) return conflict(shown);
  draft.forget_name();
  return make_error(ErrorCode::kBusy, "conflict: ", quoted(shown),
                    " was replaced by another process meanwhile; its version is kept in ", quoted(draft.name()));
}

Result<Stamp> replace(const Workspace::Slot& slot, std::string_view content, const FileBytes& old,
                      std::string_view shown) {
  MAGI_CHECK(check_writable(slot, old, shown));
  if (old.status.st_nlink > 1) return write_in_place(slot, content, old, shown);
  const os::Fd current(
      os::disk().openat(slot.folder.get(), slot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!current) return errno == ENOENT ? conflict(shown) : cannot_write(shown);
  // Keeps others from taking the old file for a left draft while it bears the draft's name.
  ::flock(current.get(), LOCK_SH | LOCK_NB);
  Result<Draft> draft = Draft::create(slot, old.status.st_mode & 07777, shown);
  if (!draft) return draft.error();
  if (!take_over(current.get(), old.status, draft->fd())) return write_in_place(slot, content, old, shown);
  MAGI_CHECK(write_from_start(draft->fd(), content, shown));
  // Without it a power cut could leave an empty file in place of the old one.
  if (os::disk().fdatasync(draft->fd()) != 0) return cannot_write(shown);
  MAGI_TRY(const Stamp now, stamp_of_file(current.get(), shown));
  if (now != old.stamp()) return conflict(shown);
  MAGI_CHECK(put_in_place_of(slot, *draft, old, shown));
  return stamp_of_file(draft->fd(), shown);
}

Result<Stamp> create(const Workspace::Slot& slot, std::string_view content, std::string_view shown) {
  Result<Draft> draft = Draft::create(slot, 0666, shown);
  if (!draft) return draft.error();
  MAGI_CHECK(write_from_start(draft->fd(), content, shown));
  const int folder = slot.folder.get();
  bool done;
  if (draft->is_named()) {
    done = ::renameat2(folder, draft->name().c_str(), folder, slot.name.c_str(), RENAME_NOREPLACE) == 0;
    if (done)
      draft->forget_name();
    else if (errno == EINVAL || errno == ENOSYS)
      done = os::disk().linkat(folder, draft->name().c_str(), folder, slot.name.c_str(), 0) == 0;
  } else {
    done = draft->link_as(slot.name);
  }
  if (!done) return errno == EEXIST ? conflict(shown) : cannot_write(shown);
  return stamp_of_file(draft->fd(), shown);
}

}  // namespace

Result<Stamp> publish(const Workspace::Slot& slot, std::string_view content, const FileBytes* old,
                      std::string_view shown) {
  return old != nullptr ? replace(slot, content, *old, shown) : create(slot, content, shown);
}

}  // namespace magi::toolbox
