#include "libcommon/os/safe_open.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "libcommon/os/disk.h"
#include "libcommon/os/retry.h"

namespace magi::os {
namespace {

constexpr mode_t kDirMode = 0700, kFileMode = 0600, kOthers = 077;
// O_NONBLOCK: opening a FIFO that stands where a file should be must not wait for its other end.
constexpr int kFileFlags = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
constexpr int kDirFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Error refused(const std::string& path, std::string_view rule) {
  return make_error(ErrorCode::kUnsafe, "refusing ", quoted(path), ": ", rule);
}

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
  return text;
}

FileStamp to_stamp(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<struct stat> status_of(int fd, std::string_view path) {
  struct stat status {};
  if (retry([&] { return disk().fstat(fd, &status); }) == 0) return status;
  const int why = errno;
  return errno_error("cannot look at " + quoted(path), why);
}

Result<void> check_owner(const struct stat& status, const std::string& path) {
  static const uid_t user = ::geteuid();  // a system call; nothing here changes it
  if (status.st_uid == user) return {};
  return refused(path, "owned by another user (uid " + std::to_string(status.st_uid) + ")");
}

Result<void> check_mode(const struct stat& status, const std::string& path, mode_t wanted) {
  if ((status.st_mode & kOthers) == 0) return {};
  return refused(path, "mode " + octal(status.st_mode) + " lets others in, must be " + octal(wanted) +
                           " or stricter (magi-perms repairs it)");
}

// Why a folder could not be opened, from what has its name.
Error folder_error(int dir, const char* name, const std::string& path, int why) {
  struct stat status {};
  if (retry([&] { return disk().fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW); }) == 0) {
    if (S_ISLNK(status.st_mode))
      return refused(path, why == ENOENT ? "a dangling link" : "a link in place of a folder");
    if (!S_ISDIR(status.st_mode)) return refused(path, "not a folder");
  }
  return errno_error("cannot open " + quoted(path), why);
}

Result<void> sync_folder(int fd, const std::string& path) {
  if (retry([&] { return disk().fsync(fd); }) == 0) return {};
  const int why = errno;
  return errno_error("cannot sync " + quoted(path), why);
}

// Makes the name of a folder durable that may have been made by a process that was killed before it could do so:
// to be done before anything is made inside.  `parent` is where the name is.  One that may not be read is someone
// else's and has long been there.
Result<void> sync_name_of(int dir, const char* parent, const std::string& path) {
  const Fd fd(retry([&] { return disk().openat(dir, parent, kDirFlags, 0); }));
  if (fd) return sync_folder(fd.get(), path);
  const int why = errno;
  if (why == EACCES || why == EPERM) return {};
  return errno_error("cannot sync " + quoted(path), why);
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Makes `path` and its missing ancestors; each new name is durable.
Result<void> make_folders(const std::string& path) {
  const std::string parent = parent_of(path);
  struct stat status {};
  if (retry([&] { return disk().fstatat(AT_FDCWD, parent.c_str(), &status, 0); }) != 0) {
    const int why = errno;
    if (why != ENOENT) return errno_error("cannot create " + quoted(path), why);
    if (retry([&] { return disk().fstatat(AT_FDCWD, parent.c_str(), &status, AT_SYMLINK_NOFOLLOW); }) == 0)
      return folder_error(AT_FDCWD, parent.c_str(), parent, ENOENT);
    MAGI_CHECK(make_folders(parent));
  }
  MAGI_CHECK(sync_name_of(AT_FDCWD, parent_of(parent).c_str(), parent));
  if (retry([&] { return disk().mkdirat(AT_FDCWD, path.c_str(), kDirMode); }) == 0 || errno == EEXIST)
    return sync_name_of(AT_FDCWD, parent.c_str(), path);
  const int why = errno;
  return errno_error("cannot create " + quoted(path), why);
}

int open_flags(FileUse use) {
  switch (use) {
    case FileUse::kRead: return O_RDONLY;
    case FileUse::kReadWrite:
    case FileUse::kCreate:
    case FileUse::kCreateNew: return O_RDWR;
    case FileUse::kAppend:
    case FileUse::kAppendNew: return O_RDWR | O_APPEND;
  }
  return O_RDONLY;
}

}  // namespace

Result<FileStamp> stamp_of(int fd, std::string_view path_for_errors) {
  MAGI_TRY(const struct stat status, status_of(fd, path_for_errors));
  return to_stamp(status);
}

Result<Dir> Dir::open_top(std::string path, IfMissing if_missing) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.empty() || path.front() != '/')
    return make_error(ErrorCode::kConfig, quoted(path), " is not an absolute path");
  const auto open = [&] { return retry([&] { return disk().openat(AT_FDCWD, path.c_str(), kDirFlags, 0); }); };
  Fd fd(open());
  if (!fd && errno == ENOENT && if_missing == IfMissing::kCreate) {
    MAGI_CHECK(make_folders(path));
    fd.reset(open());
  }
  if (!fd) return folder_error(AT_FDCWD, path.c_str(), path, errno);
  MAGI_TRY(const struct stat status, status_of(fd.get(), path));
  MAGI_CHECK(check_owner(status, path));
  // Reading the top is harmless, everything private lies deeper; writing would let others replace what lies there.
  if ((status.st_mode & 022) != 0)
    return refused(path, "mode " + octal(status.st_mode) + " lets others write (chmod go-w repairs it)");
  return Dir(std::move(fd), std::move(path));
}

Result<Dir> Dir::subdir(std::string_view name_view, IfMissing if_missing) const {
  const std::string name(name_view), path = path_of(name_view);
  const auto open = [&] { return retry([&] { return disk().openat(fd(), name.c_str(), kDirFlags | O_NOFOLLOW, 0); }); };
  Fd opened(open());
  if (!opened && errno == ENOENT && if_missing == IfMissing::kCreate) {
    MAGI_CHECK(sync_name_of(fd(), "..", path_));
    const bool made = retry([&] { return disk().mkdirat(fd(), name.c_str(), kDirMode); }) == 0;
    if (!made && errno != EEXIST) return errno_error("cannot create " + quoted(path), errno);
    // A umask that takes bits from the owner would lock us out of our own folder.
    if (made && ::fchmodat(fd(), name.c_str(), kDirMode, 0) != 0)
      return errno_error("cannot create " + quoted(path), errno);
    if (made) MAGI_CHECK(sync());
    opened.reset(open());
  }
  if (!opened) return folder_error(fd(), name.c_str(), path, errno);
  MAGI_TRY(const struct stat status, status_of(opened.get(), path));
  MAGI_CHECK(check_owner(status, path));
  MAGI_CHECK(check_mode(status, path, kDirMode));
  return Dir(std::move(opened), path);
}

Result<Fd> Dir::open_file(std::string_view name_view, FileUse use) const {
  const std::string name(name_view), path = path_of(name_view);
  const int flags = open_flags(use) | kFileFlags;
  const auto open = [&](int more, mode_t mode) {
    return retry([&] { return disk().openat(fd(), name.c_str(), flags | more, mode); });
  };
  const bool must_be_new = use == FileUse::kCreateNew || use == FileUse::kAppendNew;
  const bool may_be_new = must_be_new || use == FileUse::kCreate;
  Fd file;
  if (!must_be_new) file.reset(open(0, 0));
  if (!file && may_be_new && (must_be_new || errno == ENOENT)) {
    file.reset(open(O_CREAT | O_EXCL, kFileMode));
    if (file) {
      if (::fchmod(file.get(), kFileMode) == 0) return file;
      const int why = errno;
      static_cast<void>(remove_file(name));
      return errno_error("cannot create " + quoted(path), why);
    }
    if (errno == EEXIST && must_be_new) return make_error(ErrorCode::kBusy, quoted(path), " exists already");
    if (errno != EEXIST) return errno_error("cannot create " + quoted(path), errno);
    file.reset(open(0, 0));
  }
  if (!file) {
    const int why = errno;
    if (why == ELOOP) return refused(path, "a link is not followed");
    if (why == EISDIR) return refused(path, "not a regular file");
    return errno_error("cannot open " + quoted(path), why);
  }
  MAGI_TRY(const struct stat status, status_of(file.get(), path));
  if (!S_ISREG(status.st_mode)) return refused(path, "not a regular file");
  MAGI_CHECK(check_owner(status, path));
  MAGI_CHECK(check_mode(status, path, kFileMode));
  return file;
}

Result<FileStamp> Dir::stamp(std::string_view name) const {
  struct stat status {};
  const std::string text(name);
  if (retry([&] { return disk().fstatat(fd(), text.c_str(), &status, AT_SYMLINK_NOFOLLOW); }) == 0)
    return to_stamp(status);
  const int why = errno;
  return errno_error("cannot look at " + quoted(path_of(name)), why);
}

Result<void> Dir::remove_file(std::string_view name) const {
  const std::string text(name);
  if (retry([&] { return disk().unlinkat(fd(), text.c_str(), 0); }) == 0 || errno == ENOENT) return {};
  const int why = errno;
  return errno_error("cannot remove " + quoted(path_of(name)), why);
}

Result<void> Dir::sync() const { return sync_folder(fd(), path_); }

Result<std::vector<std::string>> Dir::names() const {
  Fd own(retry([&] { return disk().openat(fd(), ".", kDirFlags, 0); }));
  if (!own) return errno_error("cannot list " + quoted(path_), errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own.get()), &::closedir);
  if (!stream) return errno_error("cannot list " + quoted(path_), errno);
  static_cast<void>(own.release());  // the stream closes it
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return errno_error("cannot list " + quoted(path_), errno);
  return names;
}

}  // namespace magi::os
