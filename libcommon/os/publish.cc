#include "libcommon/os/publish.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "libcommon/os/disk.h"

namespace magi::os {
namespace {

struct Slot {
  int folder;
  const std::string& name;
};

Error cannot_write(std::string_view shown, int error = errno) {
  return errno_error("cannot write " + quoted(shown), error);
}

Error cannot_remove(std::string_view shown, int error = errno) {
  return errno_error("cannot remove " + quoted(shown), error);
}

Error conflict(std::string_view shown) {
  return make_error(ErrorCode::kBusy, "conflict: ", quoted(shown),
                    " was changed by another process meanwhile; its change stands and nothing was written");
}

bool same_time(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

// The same content for all that can be told without reading: a rename changes ctime, so that does not count.
bool same_content(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && same_time(a.st_mtim, b.st_mtim);
}

bool untouched(const struct stat& now, const struct stat& old) {
  return same_content(now, old) && same_time(now.st_ctim, old.st_ctim);
}

// FNV-1a: the same draft name for the same target, in every process.
std::string draft_name(std::string_view target) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : target) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char name[40];
  std::snprintf(name, sizeof name, ".magi-%016llx.tmp", static_cast<unsigned long long>(hash));
  return name;
}

Result<void> write_from_start(int fd, std::string_view content, std::string_view shown) {
  off_t at = 0;
  while (!content.empty()) {
    const ssize_t written = disk().pwrite(fd, content.data(), content.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write(shown);
    at += written;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// What a killed writer left under a draft's name; false while its writer lives, which holds a lock on it.
bool remove_left_draft(int folder, const std::string& name) {
  const Fd left(disk().openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (left && ::flock(left.get(), LOCK_EX | LOCK_NB) != 0) return false;
  return disk().unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT;
}

// New content without its final name.  Unnamed while it is written, so that a crash leaves nothing; the name that it
// then needs for an instant follows from the target's, so that the next write of the target finds and removes a left
// one.
class Draft {
 public:
  static Result<Draft> create(const Slot& slot, mode_t mode, std::string_view shown) {
    Draft draft(slot);
    draft.fd_.reset(disk().openat(slot.folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (draft.fd_) {
      ::flock(draft.fd_.get(), LOCK_EX | LOCK_NB);
      return draft;
    }
    MAGI_CHECK(draft.name_it(shown, [&] {
      draft.fd_.reset(disk().openat(slot.folder, draft.name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode));
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
    if (named_) disk().unlinkat(slot_.folder, name_.c_str(), 0);
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
    return disk().linkat(AT_FDCWD, self.c_str(), slot_.folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }
  // The name now belongs to something else, or to nothing.
  void forget_name() { named_ = false; }

 private:
  explicit Draft(const Slot& slot) : slot_(slot), name_(draft_name(slot.name)) {}

  template <class Create>
  Result<void> name_it(std::string_view shown, Create create) {
    for (int attempt = 0; attempt < 3; ++attempt) {
      if (create()) {
        named_ = true;
        return {};
      }
      if (errno != EEXIST) return cannot_write(shown);
      if (!remove_left_draft(slot_.folder, name_)) break;
    }
    return make_error(ErrorCode::kBusy, "another process is writing ", quoted(shown));
  }

  const Slot& slot_;
  std::string name_;
  Fd fd_;
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

Result<void> check_writable(const Slot& slot, const struct stat& old, std::string_view shown) {
  const auto refuse = [&](std::string_view why) {
    return make_error(ErrorCode::kDenied, quoted(shown), " is read-only", why, "; nothing was written");
  };
  if ((old.st_mode & 0222) == 0) return refuse(" by its mode");
  if (::faccessat(slot.folder, slot.name.c_str(), W_OK, AT_EACCESS) == 0) return {};
  return errno == ENOENT ? conflict(shown) : refuse(" for this user");
}

Result<struct stat> status_of(int fd, std::string_view shown) {
  struct stat status {};
  if (disk().fstat(fd, &status) != 0) return cannot_write(shown);
  return status;
}

Result<void> sync_content(int fd, std::string_view shown) {
  if (disk().fdatasync(fd) == 0) return {};
  return cannot_write(shown);
}

Result<void> change_mode(int fd, const std::optional<mode_t>& mode, std::string_view shown) {
  if (!mode || ::fchmod(fd, *mode) == 0) return {};
  return cannot_write(shown);
}

Result<void> announce(const BeforeVisible& before_visible, mode_t mode) {
  return before_visible ? before_visible(mode & 07777) : Result<void>();
}

// Room for what a file grows by, before its old content is touched: a full disk then costs nothing.
Result<void> reserve_growth(int fd, std::int64_t old_size, std::size_t new_size, std::string_view shown) {
  const auto growth = static_cast<std::int64_t>(new_size) - old_size;
  if (growth <= 0) return {};
  const int failed = ::posix_fallocate(fd, old_size, growth);
  if (failed == 0 || failed == EOPNOTSUPP || failed == EINVAL) return {};
  (void)disk().ftruncate(fd, old_size);
  errno = failed;
  return cannot_write(shown);
}

Result<struct stat> write_in_place(const Slot& slot, const NewContent& content, const struct stat& old,
                                   std::string_view shown) {
  const Fd fd(disk().openat(slot.folder, slot.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!fd) return cannot_write(shown);
  MAGI_TRY(const struct stat now, status_of(fd.get(), shown));
  if (!same_content(now, old)) return conflict(shown);
  MAGI_CHECK(announce(content.before_visible, content.mode.value_or(now.st_mode)));
  MAGI_CHECK(reserve_growth(fd.get(), now.st_size, content.bytes.size(), shown));
  MAGI_CHECK(write_from_start(fd.get(), content.bytes, shown));
  if (disk().ftruncate(fd.get(), static_cast<off_t>(content.bytes.size())) != 0) return cannot_write(shown);
  MAGI_CHECK(sync_content(fd.get(), shown));
  MAGI_CHECK(change_mode(fd.get(), content.mode, shown));
  return status_of(fd.get(), shown);
}

Result<void> put_in_place_of(const Slot& slot, Draft& draft, const struct stat& old, std::string_view shown) {
  MAGI_CHECK(draft.give_name(shown));
  const char* const from = draft.name().c_str();
  const char* const to = slot.name.c_str();
  const auto exchange = [&] { return disk().renameat2(slot.folder, from, slot.folder, to, RENAME_EXCHANGE) == 0; };
  if (!exchange()) {
    if (errno == ENOENT) return conflict(shown);
    if (errno != EINVAL && errno != ENOSYS) return cannot_write(shown);
    // A file system without exchange: what changes between the check before and this line would be lost.
    if (disk().renameat(slot.folder, from, slot.folder, to) != 0) return cannot_write(shown);
    draft.forget_name();
    return {};
  }
  // The draft's name now holds what was replaced: only here is it certain what that is.
  struct stat replaced {};
  if (disk().fstatat(slot.folder, from, &replaced, AT_SYMLINK_NOFOLLOW) == 0 && same_content(replaced, old)) return {};
  if (exchange()) return conflict(shown);
  draft.forget_name();
  return make_error(ErrorCode::kBusy, "conflict: ", quoted(shown),
                    " was replaced by another process meanwhile; its version is kept in ", quoted(draft.name()));
}

Result<struct stat> replace(const Slot& slot, const NewContent& content, const struct stat& old,
                            std::string_view shown) {
  MAGI_CHECK(check_writable(slot, old, shown));
  if (old.st_nlink > 1) return write_in_place(slot, content, old, shown);
  const Fd current(disk().openat(slot.folder, slot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!current) return errno == ENOENT ? conflict(shown) : cannot_write(shown);
  const auto check_untouched = [&]() -> Result<void> {
    MAGI_TRY(const struct stat now, status_of(current.get(), shown));
    return untouched(now, old) ? Result<void>() : conflict(shown);
  };
  // Keeps others from taking the old file for a left draft while it bears the draft's name.
  ::flock(current.get(), LOCK_SH | LOCK_NB);
  Result<Draft> draft = Draft::create(slot, old.st_mode & 07777, shown);
  if (!draft) return draft.error();
  if (!take_over(current.get(), old, draft->fd())) return write_in_place(slot, content, old, shown);
  MAGI_CHECK(change_mode(draft->fd(), content.mode, shown));
  MAGI_CHECK(write_from_start(draft->fd(), content.bytes, shown));
  // Without it a power cut could leave an empty file in place of the old one.
  MAGI_CHECK(sync_content(draft->fd(), shown));
  MAGI_CHECK(check_untouched());
  if (content.before_visible) {
    MAGI_CHECK(announce(content.before_visible, content.mode.value_or(old.st_mode)));
    MAGI_CHECK(check_untouched());
  }
  MAGI_CHECK(put_in_place_of(slot, *draft, old, shown));
  return status_of(draft->fd(), shown);
}

Result<struct stat> create(const Slot& slot, const NewContent& content, std::string_view shown) {
  Result<Draft> draft = Draft::create(slot, 0666, shown);
  if (!draft) return draft.error();
  MAGI_CHECK(change_mode(draft->fd(), content.mode, shown));
  MAGI_CHECK(write_from_start(draft->fd(), content.bytes, shown));
  if (content.durable) MAGI_CHECK(sync_content(draft->fd(), shown));
  MAGI_TRY(const struct stat status, status_of(draft->fd(), shown));
  MAGI_CHECK(announce(content.before_visible, status.st_mode));
  const char* const from = draft->name().c_str();
  const char* const to = slot.name.c_str();
  bool done;
  if (draft->is_named()) {
    done = disk().renameat2(slot.folder, from, slot.folder, to, RENAME_NOREPLACE) == 0;
    if (done)
      draft->forget_name();
    else if (errno == EINVAL || errno == ENOSYS)
      done = disk().linkat(slot.folder, from, slot.folder, to, 0) == 0;
  } else {
    done = draft->link_as(slot.name);
  }
  if (!done) return errno == EEXIST ? conflict(shown) : cannot_write(shown);
  return status_of(draft->fd(), shown);
}

}  // namespace

Result<struct stat> publish(int folder, const std::string& name, const NewContent& content, const struct stat* old,
                            std::string_view shown) {
  const Slot slot{folder, name};
  return old != nullptr ? replace(slot, content, *old, shown) : create(slot, content, shown);
}

Result<void> withdraw(int folder, const std::string& name, const struct stat& old, std::string_view shown,
                      const BeforeVisible& before_visible) {
  MAGI_CHECK(announce(before_visible, old.st_mode));
  // Out of the way first: only then is it certain what is removed.
  const std::string aside = draft_name(name);
  const auto move = [&](const std::string& from, const std::string& to) {
    if (disk().renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    return (errno == EINVAL || errno == ENOSYS) && disk().renameat(folder, from.c_str(), folder, to.c_str()) == 0;
  };
  if (!move(name, aside) && !(errno == EEXIST && remove_left_draft(folder, aside) && move(name, aside)))
    return errno == ENOENT ? conflict(shown) : cannot_remove(shown);
  struct stat moved {};
  if (disk().fstatat(folder, aside.c_str(), &moved, AT_SYMLINK_NOFOLLOW) == 0 && same_content(moved, old) &&
      moved.st_mode == old.st_mode) {
    if (disk().unlinkat(folder, aside.c_str(), 0) == 0) return {};
    const Error failed = cannot_remove(shown);
    static_cast<void>(move(aside, name));
    return failed;
  }
  if (move(aside, name)) return conflict(shown);
  return make_error(ErrorCode::kBusy, "conflict: ", quoted(shown),
                    " was replaced by another process meanwhile; its version is kept in ", quoted(aside));
}

}  // namespace magi::os
