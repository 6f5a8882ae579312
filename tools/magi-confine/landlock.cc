#include "tools/magi-confine/landlock.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>

namespace magi::confine {
namespace {

// Rights by the ABI that brought them.  Debian 12's headers know the first two ABIs only.
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kTruncate = 1ULL << 14;             // ABI 3
constexpr std::uint64_t kIoctlDevice = 1ULL << 15;          // ABI 5
constexpr std::uint64_t kRefer = LANDLOCK_ACCESS_FS_REFER;  // ABI 2
constexpr std::uint64_t kMakeDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr std::uint64_t kChangeFolder = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                        LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                        LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                        LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kFileRights = kWriteFile | kReadFile | kTruncate | kIoctlDevice;
// ABI 6: no signals to, and no abstract sockets of, processes outside.
constexpr std::uint64_t kScopes = (1ULL << 0) | (1ULL << 1);

// struct landlock_ruleset_attr as of ABI 6; older kernels take a prefix of it.
struct RulesetAttributes {
  std::uint64_t handled_fs, handled_net, scoped;
};

// What every program may expect to open.  /dev/tty is harmless: a command has no controlling terminal.
constexpr std::array kHarmlessDevices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
constexpr const char* kDevices = "/dev";

std::uint64_t handled_rights(int abi, bool hides) {
  std::uint64_t rights = kWriteFile | kMakeDevices | kChangeFolder;
  if (hides) rights |= kReadFile;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDevice;
  return rights;
}

class Ruleset {
 public:
  static Result<Ruleset> create(int abi, bool hides) {
    RulesetAttributes attributes{handled_rights(abi, hides), 0, abi >= 6 ? kScopes : 0};
    const std::size_t size = abi >= 6 ? sizeof attributes : abi >= 4 ? 16 : 8;
    os::Fd fd(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    if (!fd) return make_error(ErrorCode::kDenied, errno_error("cannot confine: landlock_create_ruleset", errno).what);
    return Ruleset(std::move(fd), attributes.handled_fs);
  }

  std::uint64_t handled() const { return handled_; }
  os::Fd take() && { return std::move(fd_); }

  // `rights` that the ruleset does not handle, or that make no sense for a file, are left out.
  Result<void> allow(int path_fd, std::uint64_t rights) {
    struct stat status {};
    if (::fstat(path_fd, &status) != 0) return errno_error("cannot confine: fstat", errno);
    return add(path_fd, S_ISDIR(status.st_mode) ? rights : rights & kFileRights);
  }
  // Of a file or of everything beneath a folder.
  Result<void> allow_reading(int path_fd) { return add(path_fd, kReadFile); }

 private:
  Result<void> add(int path_fd, std::uint64_t rights) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights & handled_;
    rule.parent_fd = path_fd;
    // EBADFD: on a file system of the kernel's own, which is not ruled.
    if (rule.allowed_access != 0 &&
        ::syscall(SYS_landlock_add_rule, fd_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0 && errno != EBADFD)
      return make_error(ErrorCode::kDenied, errno_error("cannot confine: landlock_add_rule", errno).what);
    return {};
  }

  Ruleset(os::Fd fd, std::uint64_t handled) : fd_(std::move(fd)), handled_(handled) {}
  os::Fd fd_;
  std::uint64_t handled_;
};

os::Fd open_path(int folder, const char* name, int flags) {
  return os::Fd(::openat(folder, name, O_PATH | O_CLOEXEC | flags));
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Allows reading what is in `folder` except what is hidden there or leads to it, and goes down into the latter.
// `hidden` are resolved paths that lie beneath `folder`.
Result<void> allow_reading_beside(Ruleset& ruleset, const std::string& folder, const std::vector<std::string>& hidden) {
  const std::unique_ptr<DIR, CloseFolder> entries(::opendir(folder.c_str()));
  if (!entries) return {};  // missing, or not ours to read: nothing to allow beneath it
  const std::string prefix = folder == "/" ? folder : folder + '/';
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    // A link is judged by what it leads to.
    if (name == "." || name == ".." || entry->d_type == DT_LNK) continue;
    const std::string path = prefix + entry->d_name;
    std::vector<std::string> below;
    for (const std::string& one : hidden)
      if (is_beneath(one, path)) below.push_back(one);
    if (std::find(below.begin(), below.end(), path) != below.end()) continue;
    if (!below.empty()) {
      MAGI_CHECK(allow_reading_beside(ruleset, path, below));
    } else if (const os::Fd fd = open_path(::dirfd(entries.get()), entry->d_name, O_NOFOLLOW)) {
      MAGI_CHECK(ruleset.allow_reading(fd.get()));
    }
  }
  return {};
}

}  // namespace

int landlock_abi(int limit) {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi < 0 ? 0 : std::min(static_cast<int>(abi), limit);
}

std::string resolve_existing(const std::string& path) {
  std::string existing = path, rest;
  while (existing.size() > 1) {
    if (char* const real = ::realpath(existing.c_str(), nullptr)) {
      const std::unique_ptr<char, decltype(&::free)> owned(real, &::free);
      return rest.empty() ? std::string(real) : (std::string_view(real) == "/" ? "" : std::string(real)) + rest;
    }
    const std::size_t slash = existing.find_last_of('/');
    rest = existing.substr(slash) + rest;
    existing.resize(slash);
  }
  return rest.empty() ? "/" : rest;
}

bool is_beneath(const std::string& path, const std::string& folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Result<void> check_policy(const FilePolicy& policy) {
  for (const std::string& hidden : policy.hide)
    for (const std::string& folder : policy.write) {
      const std::string path = resolve_existing(hidden), real = resolve_existing(folder);
      if (is_beneath(path, real))
        return make_error(ErrorCode::kDenied, "cannot confine: ", quoted(path),
                          " would be readable, since it lies in the writable ", quoted(real));
    }
  return {};
}

Result<os::Fd> make_ruleset(const FilePolicy& policy, int abi) {
  if (abi < 1) return make_error(ErrorCode::kDenied, "cannot confine: this kernel has no Landlock");
  MAGI_TRY(Ruleset ruleset, Ruleset::create(abi, !policy.hide.empty()));

  std::vector<std::string> hidden;
  for (const std::string& path : policy.hide) hidden.push_back(resolve_existing(path));
  for (const std::string& folder : policy.write) {
    const std::string real = resolve_existing(folder);
    const os::Fd fd = open_path(AT_FDCWD, real.c_str(), 0);
    if (!fd) return errno_error("cannot open " + quoted(folder), errno);
    // Nobody makes devices: a block device of the user's own would be the whole disk.
    MAGI_CHECK(ruleset.allow(fd.get(), ruleset.handled() & ~kMakeDevices));
  }
  for (const char* device : kHarmlessDevices)
    if (const os::Fd fd = open_path(AT_FDCWD, device, 0)) MAGI_CHECK(ruleset.allow(fd.get(), kFileRights));
  if (!hidden.empty()) {
    hidden.emplace_back(kDevices);
    MAGI_CHECK(allow_reading_beside(ruleset, "/", hidden));
  }
  return std::move(ruleset).take();
}

Result<void> restrict_self(int ruleset) {
  if (::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
    return make_error(ErrorCode::kDenied, errno_error("cannot confine: landlock_restrict_self", errno).what);
  return {};
}

}  // namespace magi::confine
