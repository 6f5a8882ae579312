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

enum class Needs { kNothing, kChange, kRoom };  // of the disk

int error_of(Fault fault) {
  switch (fault) {
    case Fault::kEio: return EIO;
    case Fault::kEnospc:
    case Fault::kFull: return ENOSPC;
    case Fault::kEintr: return EINTR;
    case Fault::kReadOnly: return EROFS;
    case Fault::kShortWrite:
    case Fault::kStuckWrite:
    case Fault::kShortOnce: break;  // see is_short()
  }
  return 0;
}

// True when this call is to fail; errno is set.
bool fails(const char* name, Needs needs = Needs::kNothing) {
  state.calls.emplace_back(name);
  if (state.full && state.fault == Fault::kStuckWrite && state.calls.back() == "ftruncate") return errno = EIO, true;
  const int call = static_cast<int>(state.calls.size());
  const bool for_good = (state.fault == Fault::kFull && needs == Needs::kRoom) ||
                        (state.fault == Fault::kReadOnly && needs != Needs::kNothing);
  const bool lasts = state.fault == Fault::kFull || state.fault == Fault::kReadOnly;
  const bool is_hit = lasts ? for_good && state.fail_at > 0 && call >= state.fail_at : call == state.fail_at;
  if (!is_hit || error_of(state.fault) == 0) return false;
  errno = error_of(state.fault);
  return state.fired = true;
}

bool halves() {
  return state.fault == Fault::kShortWrite || state.fault == Fault::kStuckWrite || state.fault == Fault::kShortOnce;
}

bool is_short(std::size_t size) {
  if (!halves() || static_cast<int>(state.calls.size()) != state.fail_at || size < 2) return false;
  state.full = state.fault != Fault::kShortOnce;
  return state.fired = true;
}

bool is_full() {
  if (state.full) errno = ENOSPC;
  return state.full;
}

const os::Disk& real() { return os::real_disk(); }

constexpr os::Disk kFaulty = {
    .openat =
        [](int dir, const char* path, int flags, mode_t mode) {
          return fails("openat", (flags & O_CREAT) != 0 ? Needs::kRoom : Needs::kNothing)
                     ? -1
                     : real().openat(dir, path, flags, mode);
        },
    .mkdirat = [](int dir, const char* path,
                  mode_t mode) { return fails("mkdirat", Needs::kRoom) ? -1 : real().mkdirat(dir, path, mode); },
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
      if (fails("write", Needs::kRoom)) return -1;
      if (was_full) return errno = ENOSPC, -1;
      return real().write(fd, bytes, is_short(size) ? size / 2 : size);
    },
    .pwrite = [](int fd, const void* bytes, std::size_t size, off_t offset) -> ssize_t {
      const bool was_full = is_full();
      if (fails("pwrite", Needs::kRoom)) return -1;
      if (was_full) return errno = ENOSPC, -1;
      return real().pwrite(fd, bytes, is_short(size) ? size / 2 : size, offset);
    },
    .ftruncate = [](int fd,
                    off_t length) { return fails("ftruncate", Needs::kChange) ? -1 : real().ftruncate(fd, length); },
    .fdatasync = [](int fd) { return fails("fdatasync", Needs::kChange) ? -1 : real().fdatasync(fd); },
    .fsync = [](int fd) { return fails("fsync", Needs::kChange) ? -1 : real().fsync(fd); },
    .renameat =
        [](int from_dir, const char* from, int to_dir, const char* to) {
          return fails("renameat", Needs::kChange) ? -1 : real().renameat(from_dir, from, to_dir, to);
        },
    .renameat2 =
        [](int from_dir, const char* from, int to_dir, const char* to, unsigned flags) {
          return fails("renameat2", Needs::kChange) ? -1 : real().renameat2(from_dir, from, to_dir, to, flags);
        },
    .linkat =
        [](int from_dir, const char* from, int to_dir, const char* to, int flags) {
          return fails("linkat", Needs::kRoom) ? -1 : real().linkat(from_dir, from, to_dir, to, flags);
        },
    .unlinkat = [](int dir, const char* path,
                   int flags) { return fails("unlinkat", Needs::kChange) ? -1 : real().unlinkat(dir, path, flags); },
    .ofd_setlk = [](int fd, struct flock* lock) { return fails("ofd_setlk") ? -1 : real().ofd_setlk(fd, lock); },
};

}  // namespace

const char* fault_name(Fault fault) {
  static constexpr const char* kNames[] = {"EIO",         "ENOSPC",      "EINTR",     "short write, then full",
                                           "stuck write", "short write", "disk full", "read-only disk"};
  return kNames[static_cast<int>(fault)];
}

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
