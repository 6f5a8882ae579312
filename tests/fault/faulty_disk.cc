#include "tests/fault/faulty_disk.h"

#include <algorithm>
#include <cerrno>

namespace magi::test {
namespace {

struct State {
  Fault fault = Fault::kEio;
  int fail_at = 0;
  bool fired = false;
  bool full = false;  // after a short write
  std::vector<std::string> calls;
  std::size_t bytes_read = 0;
};
State state;

// True when this call is the one to fail; errno is set.
bool fails(const char* name) {
  state.calls.emplace_back(name);
  if (state.full && state.fault == Fault::kStuckWrite && state.calls.back() == "ftruncate") return errno = EIO, true;
  if (static_cast<int>(state.calls.size()) != state.fail_at) return false;
  switch (state.fault) {
    case Fault::kEio: errno = EIO; break;
    case Fault::kEnospc: errno = ENOSPC; break;
    case Fault::kEintr: errno = EINTR; break;
    case Fault::kShortWrite:
    case Fault::kStuckWrite: return false;  // see is_short()
  }
  return state.fired = true;
}

bool halves() { return state.fault == Fault::kShortWrite || state.fault == Fault::kStuckWrite; }

bool is_short(std::size_t size) {
  if (!halves() || static_cast<int>(state.calls.size()) != state.fail_at || size < 2) return false;
  state.fired = state.full = true;
  return true;
}

bool is_full() {
  if (state.full) errno = ENOSPC;
  return state.full;
}

const os::Disk& real() { return os::real_disk(); }

constexpr os::Disk kFaulty = {
    .openat = [](int dir, const char* path, int flags,
                 mode_t mode) { return fails("openat") ? -1 : real().openat(dir, path, flags, mode); },
    .mkdirat = [](int dir, const char* path,
                  mode_t mode) { return fails("mkdirat") ? -1 : real().mkdirat(dir, path, mode); },
    .fstat = [](int fd, struct stat* out) { return fails("fstat") ? -1 : real().fstat(fd, out); },
    .fstatat = [](int dir, const char* path, struct stat* out,
                  int flags) { return fails("fstatat") ? -1 : real().fstatat(dir, path, out, flags); },
    .pread = [](int fd, void* out, std::size_t size, off_t offset) -> ssize_t {
      if (fails("pread")) return -1;
      const ssize_t count = real().pread(fd, out, size, offset);
      if (count > 0) state.bytes_read += static_cast<std::size_t>(count);
      return count;
    },
    .write = [](int fd, const void* bytes, std::size_t size) -> ssize_t {
      const bool was_full = is_full();
      if (fails("write")) return -1;
      if (was_full) return errno = ENOSPC, -1;
      return real().write(fd, bytes, is_short(size) ? size / 2 : size);
    },
    .pwrite = [](int fd, const void* bytes, std::size_t size, off_t offset) -> ssize_t {
      const bool was_full = is_full();
      if (fails("pwrite")) return -1;
      if (was_full) return errno = ENOSPC, -1;
      return real().pwrite(fd, bytes, is_short(size) ? size / 2 : size, offset);
    },
    .ftruncate = [](int fd, off_t length) { return fails("ftruncate") ? -1 : real().ftruncate(fd, length); },
    .fdatasync = [](int fd) { return fails("fdatasync") ? -1 : real().fdatasync(fd); },
    .fsync = [](int fd) { return fails("fsync") ? -1 : real().fsync(fd); },
    .renameat = [](int from_dir, const char* from, int to_dir,
                   const char* to) { return fails("renameat") ? -1 : real().renameat(from_dir, from, to_dir, to); },
    .linkat = [](int from_dir, const char* from, int to_dir, const char* to,
                 int flags) { return fails("linkat") ? -1 : real().linkat(from_dir, from, to_dir, to, flags); },
    .unlinkat = [](int dir, const char* path,
                   int flags) { return fails("unlinkat") ? -1 : real().unlinkat(dir, path, flags); },
    .ofd_setlk = [](int fd, struct flock* lock) { return fails("ofd_setlk") ? -1 : real().ofd_setlk(fd, lock); },
};

}  // namespace

FaultyDisk::FaultyDisk(Fault fault, int fail_at) : scope_(kFaulty) {
  state = {};
  state.fault = fault;
  state.fail_at = fail_at;
}
FaultyDisk::~FaultyDisk() = default;

bool FaultyDisk::fired() const { return state.fired; }
const std::vector<std::string>& FaultyDisk::calls() const { return state.calls; }
int FaultyDisk::count(const std::string& name) const {
  return static_cast<int>(std::count(state.calls.begin(), state.calls.end(), name));
}
std::size_t FaultyDisk::bytes_read() const { return state.bytes_read; }

}  // namespace magi::test
