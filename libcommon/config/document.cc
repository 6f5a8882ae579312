#include "libcommon/config/document.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "libcommon/os/safe_open.h"

namespace magi::config {
namespace {

constexpr std::size_t kMostBytes = 1024 * 1024;

template <class... Parts>
Error refuse(const std::string& path, const Parts&... parts) {
  return make_error(ErrorCode::kConfig, path, ": ", parts...);
}

std::string why_unsafe(const struct stat& file, Owner owner) {
  if (!S_ISREG(file.st_mode)) return "is not a regular file";
  if (file.st_size > static_cast<off_t>(kMostBytes)) return "is larger than 1 MiB";
  if (owner == Owner::kAnyone) return {};
  if (file.st_uid != geteuid() && file.st_uid != 0) return "belongs to another user";
  if (file.st_mode & (S_IWGRP | S_IWOTH)) return "can be written by others: chmod go-w it";
  return {};
}

}  // namespace

Result<std::optional<Document>> read_document(const std::string& path, Owner owner) {
  // O_NONBLOCK: a FIFO in the file's place must not hang the start.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (owner == Owner::kAnyone ? O_NOFOLLOW : 0);
  const os::Fd fd(os::disk().openat(AT_FDCWD, path.c_str(), flags, 0));
  if (!fd) {
    const int error = errno;
    if (error == ENOENT || (error == ENOTDIR && owner == Owner::kAnyone)) return std::optional<Document>();
    if (error == ELOOP && owner == Owner::kAnyone) return refuse(path, "is a link, which is not followed here");
    return refuse(path, errno_error("cannot open", error).what);
  }
  struct stat file {};
  if (os::disk().fstat(fd.get(), &file) != 0) return refuse(path, errno_error("cannot read", errno).what);
  if (const std::string why = why_unsafe(file, owner); !why.empty()) return refuse(path, why);
  auto text = os::read_all(fd.get(), kMostBytes);
  if (!text) return refuse(path, text.error().what);
  Document document;
  document.path = path;
  document.device = file.st_dev;
  document.inode = file.st_ino;
  document.empty = text->find_first_not_of(" \t\r\n") == std::string::npos;
  if (!document.empty) {
    auto value = json::parse_value(*text);
    if (!value) return refuse(path, value.error().what);
    document.value = *std::move(value);
  }
  return std::optional<Document>(std::move(document));
}

Result<void> write_document(const std::string& path, const json::Value& value) {
  std::string target = path;
  if (const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free); real)
    target = real.get();
  const std::size_t slash = target.rfind('/');
  MAGI_TRY(const os::Dir folder, os::Dir::open_top(target.substr(0, slash), os::IfMissing::kCreate));
  return os::replace_file(folder, target.substr(slash + 1), json::print_indented(value), os::Sync::kDurable);
}

}  // namespace magi::config
