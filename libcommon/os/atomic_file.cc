#include "libcommon/os/atomic_file.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "libcommon/os/disk.h"
#include "libcommon/os/retry.h"

namespace magi::os {
namespace {

// Removes its file unless it was published.
class TemporaryFile {
 public:
  static Result<TemporaryFile> create(const Dir& dir, std::string_view target) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) return errno_error("cannot get random bytes", errno);
    char suffix[24];
    std::snprintf(suffix, sizeof suffix, ".%016llx", static_cast<unsigned long long>(random));
    std::string name = std::string(kTemporaryPrefix).append(target) + suffix;
    MAGI_TRY(Fd fd, dir.open_file(name, FileUse::kCreateNew));
    return TemporaryFile(dir, std::move(name), std::move(fd));
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : dir_(other.dir_), name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!name_.empty()) static_cast<void>(dir_.remove_file(name_));
  }

  int fd() const { return fd_.get(); }

  Result<void> publish(const std::string& target) {
    if (retry([&] { return disk().renameat(dir_.fd(), name_.c_str(), dir_.fd(), target.c_str()); }) != 0) {
      const int why = errno;
      return errno_error("cannot replace " + quoted(dir_.path_of(target)), why);
    }
    name_.clear();
    return {};
  }

 private:
  TemporaryFile(const Dir& dir, std::string name, Fd fd) : dir_(dir), name_(std::move(name)), fd_(std::move(fd)) {}
  const Dir& dir_;
  std::string name_;
  Fd fd_;
};

Result<void> write_whole(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = retry([&] { return disk().write(fd, bytes.data(), bytes.size()); });
    if (written <= 0) {
      const int why = written < 0 ? errno : EIO;
      return errno_error("cannot write " + quoted(path), why);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<void> replace_file(const Dir& dir, std::string_view name, std::string_view bytes, Sync sync) {
  const std::string path = dir.path_of(name);
  MAGI_TRY(TemporaryFile temporary, TemporaryFile::create(dir, name));
  MAGI_CHECK(write_whole(temporary.fd(), bytes, path));
  if (sync == Sync::kDurable && retry([&] { return disk().fdatasync(temporary.fd()); }) != 0) {
    const int why = errno;
    return errno_error("cannot sync " + quoted(path), why);
  }
  MAGI_CHECK(temporary.publish(std::string(name)));
  if (sync == Sync::kDurable) return dir.sync();
  return {};
}

Result<std::string> read_file(const Dir& dir, std::string_view name, std::size_t max_bytes) {
  MAGI_TRY(const Fd fd, dir.open_file(name, FileUse::kRead));
  std::string bytes;
  std::size_t used = 0;
  while (true) {
    if (bytes.size() == used) bytes.resize(used * 2 + 4096);
    const std::size_t wanted = bytes.size() - used;
    const ssize_t count =
        retry([&] { return disk().pread(fd.get(), bytes.data() + used, wanted, static_cast<off_t>(used)); });
    if (count < 0) {
      const int why = errno;
      return errno_error("cannot read " + quoted(dir.path_of(name)), why);
    }
    used += static_cast<std::size_t>(count);
    if (used > max_bytes) return make_error(ErrorCode::kLimit, quoted(dir.path_of(name)), " is too large");
    // A regular file gives less than was asked for at its end only.
    if (static_cast<std::size_t>(count) < wanted) break;
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace magi::os
