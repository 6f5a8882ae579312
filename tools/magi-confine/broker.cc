#include "tools/magi-confine/broker.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tools/magi-confine/landlock.h"

namespace magi::confine {
namespace {

os::Fd open_beneath_process(std::uint32_t pid, const std::string& what, int flags) {
  return os::Fd(::open(("/proc/" + std::to_string(pid) + '/' + what).c_str(), O_PATH | O_CLOEXEC | flags));
}

// The process that a thread belongs to; only that can be opened as a pidfd.
pid_t process_of(std::uint32_t thread) {
  const os::Fd status(::open(("/proc/" + std::to_string(thread) + "/status").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text{};
  if (!status || ::read(status.get(), text.data(), text.size() - 1) <= 0) return -1;
  const char* const field = std::strstr(text.data(), "\nTgid:");
  return field != nullptr ? static_cast<pid_t>(std::strtol(field + 6, nullptr, 10)) : -1;
}

// One call of a confined process.  Every helper that fails leaves the reason in errno.
class Call {
 public:
  Call(int listener, const seccomp_notif& notice, const std::vector<std::string>& writable)
      : listener_(listener), notice_(notice), writable_(writable) {}

  // 0, or the error number that the caller of the system call gets.
  int run();
  bool may_block() const { return notice_.data.nr == __NR_connect; }

 private:
  std::uint64_t argument(int index) const { return notice_.data.args[index]; }
  int as_int(int index) const { return static_cast<int>(argument(index)); }
  bool still_waits() const { return ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &notice_.id) == 0; }

  bool read_memory(std::uint64_t address, void* out, std::size_t size) const;
  std::optional<std::string> read_path(std::uint64_t address) const;
  // The object that (folder, path) names for the caller, links followed unless `flags` says otherwise.
  os::Fd open_object(int folder, std::uint64_t path, int flags) const;
  bool is_writable(int object) const;
  // The same user: what has dropped to another one must not act through us.
  bool caller_is_us() const;

  int change_mode(const os::Fd& object, mode_t mode) const;
  int change_owner(const os::Fd& object, int uid_argument) const;
  int change_times(const os::Fd& object, std::uint64_t times) const;
  int connect() const;

  int listener_;
  const seccomp_notif& notice_;
  const std::vector<std::string>& writable_;
};

bool Call::read_memory(std::uint64_t address, void* out, std::size_t size) const {
  iovec ours{out, size};
  iovec theirs{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), size};
  const ssize_t got = ::process_vm_readv(static_cast<pid_t>(notice_.pid), &ours, 1, &theirs, 1, 0);
  if (got == static_cast<ssize_t>(size)) return still_waits();
  errno = EFAULT;
  return false;
}

std::optional<std::string> Call::read_path(std::uint64_t address) const {
  std::string path;
  // Page by page: what lies behind the string need not be readable.
  constexpr std::uint64_t kPage = 4096;
  while (path.size() < PATH_MAX) {
    std::array<char, kPage> piece;
    const std::uint64_t at = address + path.size();
    const std::size_t size = kPage - at % kPage;
    if (!read_memory(at, piece.data(), size)) return std::nullopt;
    const std::size_t length = strnlen(piece.data(), size);
    path.append(piece.data(), length);
    if (length < size) return path;
  }
  errno = ENAMETOOLONG;
  return std::nullopt;
}

os::Fd Call::open_object(int folder, std::uint64_t path_address, int flags) const {
  std::optional<std::string> path;
  if (path_address != 0) {
    path = read_path(path_address);
    if (!path) return os::Fd();
  }
  if (!path || (path->empty() && (flags & AT_EMPTY_PATH)))
    return open_beneath_process(notice_.pid, "fd/" + std::to_string(folder), 0);
  if (path->empty()) {
    errno = ENOENT;
    return os::Fd();
  }
  const os::Fd base = path->front() == '/' ? open_beneath_process(notice_.pid, "root", 0)
                      : folder == AT_FDCWD ? open_beneath_process(notice_.pid, "cwd", 0)
                                           : open_beneath_process(notice_.pid, "fd/" + std::to_string(folder), 0);
  if (!base) return os::Fd();
  open_how how{};
  how.flags = static_cast<std::uint64_t>(O_PATH | O_CLOEXEC | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0));
  // Links of /proc would lead into this process.
  how.resolve = RESOLVE_NO_MAGICLINKS;
  os::Fd object(static_cast<int>(::syscall(SYS_openat2, base.get(), path->c_str(), &how, sizeof how)));
  if (!object && errno == ELOOP) errno = EACCES;
  return object;
}

bool Call::is_writable(int object) const {
  std::array<char, PATH_MAX> path;
  const std::string link = "/proc/self/fd/" + std::to_string(object);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  if (length <= 0 || length == static_cast<ssize_t>(path.size())) return false;
  const std::string real(path.data(), static_cast<std::size_t>(length));
  for (const std::string& folder : writable_)
    if (is_beneath(real, folder)) return true;
  return false;
}

bool Call::caller_is_us() const {
  struct stat status {};
  return ::stat(("/proc/" + std::to_string(notice_.pid)).c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

int Call::change_mode(const os::Fd& object, mode_t mode) const {
  // An O_PATH descriptor cannot be changed itself; its link in /proc leads to the object and to nothing else.
  const std::string link = "/proc/self/fd/" + std::to_string(object.get());
  return ::fchmodat(AT_FDCWD, link.c_str(), mode, 0) == 0 ? 0 : errno;
}

int Call::change_owner(const os::Fd& object, int uid_argument) const {
  const auto uid = static_cast<uid_t>(argument(uid_argument));
  const auto gid = static_cast<gid_t>(argument(uid_argument + 1));
  return ::fchownat(object.get(), "", uid, gid, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

int Call::change_times(const os::Fd& object, std::uint64_t times) const {
  std::array<timespec, 2> both{};
  if (times != 0 && !read_memory(times, both.data(), sizeof both)) return errno;
  return ::syscall(SYS_utimensat, object.get(), "", times != 0 ? both.data() : nullptr, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

int Call::connect() const {
  sockaddr_storage address{};
  const auto size = static_cast<socklen_t>(argument(2));
  if (size < sizeof(sa_family_t) || size > sizeof address) return EINVAL;
  if (!read_memory(argument(1), &address, size)) return errno;
  const os::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, process_of(notice_.pid), 0)));
  const os::Fd socket(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), as_int(0), 0)));
  if (!socket) return errno;
  const auto* target = reinterpret_cast<const sockaddr*>(&address);
  if (address.ss_family != AF_UNIX) return ::connect(socket.get(), target, size) == 0 ? 0 : errno;

  sockaddr_un local{};
  std::memcpy(&local, &address, std::min<std::size_t>(size, sizeof local));
  constexpr std::size_t kPathAt = offsetof(sockaddr_un, sun_path);
  // Abstract names belong to no folder; the kernel's own scope (ABI 6) would refuse those outside as well.
  if (size <= kPathAt || local.sun_path[0] == '\0') return EACCES;
  const std::string path(local.sun_path, strnlen(local.sun_path, size - kPathAt));
  const os::Fd base = open_beneath_process(notice_.pid, path.front() == '/' ? "root" : "cwd", 0);
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  const os::Fd server(static_cast<int>(::syscall(SYS_openat2, base.get(), path.c_str(), &how, sizeof how)));
  if (!server) return errno;
  if (!is_writable(server.get())) return EACCES;
  sockaddr_un found{};
  found.sun_family = AF_UNIX;
  const std::string link = "/proc/self/fd/" + std::to_string(server.get());
  std::memcpy(found.sun_path, link.c_str(), link.size() + 1);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&found), sizeof found) == 0 ? 0 : errno;
}

struct Target {
  os::Fd object;
  int error;
};

int Call::run() {
  if (!caller_is_us()) return EPERM;
  const auto checked = [&](int folder, std::uint64_t path, int flags) -> Target {
    os::Fd object = open_object(folder, path, flags);
    const int error = !object ? errno : !is_writable(object.get()) ? EACCES : !still_waits() ? EINTR : 0;
    return {std::move(object), error};
  };
  const auto on = [](const Target& target, auto change) {
    return target.error != 0 ? target.error : change(target.object);
  };
  const auto mode_of = [&](int index) {
    return [this, index](const os::Fd& fd) { return change_mode(fd, static_cast<mode_t>(argument(index))); };
  };
  const auto owner_of = [&](int index) { return [this, index](const os::Fd& fd) { return change_owner(fd, index); }; };
  switch (notice_.data.nr) {
#ifdef __NR_chmod
    case __NR_chmod: return on(checked(AT_FDCWD, argument(0), 0), mode_of(1));
    case __NR_chown: return on(checked(AT_FDCWD, argument(0), 0), owner_of(1));
    case __NR_lchown: return on(checked(AT_FDCWD, argument(0), AT_SYMLINK_NOFOLLOW), owner_of(1));
#endif
    case __NR_fchmod: return on(checked(as_int(0), 0, 0), mode_of(1));
    case __NR_fchmodat: return on(checked(as_int(0), argument(1), 0), mode_of(2));
    case __NR_fchown: return on(checked(as_int(0), 0, 0), owner_of(1));
    case __NR_fchownat: return on(checked(as_int(0), argument(1), as_int(4)), owner_of(2));
    case __NR_utimensat:
      return on(checked(as_int(0), argument(1), as_int(3)),
                [&](const os::Fd& fd) { return change_times(fd, argument(2)); });
    case __NR_connect: return connect();
    default: return ENOSYS;
  }
}

void answer(int listener, std::uint64_t id, int error) {
  seccomp_notif_resp response{};
  response.id = id;
  response.error = -error;
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);  // fails only when the caller is gone
}

}  // namespace

void Broker::serve() {
  // The kernel may know longer structures than these headers.
  union {
    seccomp_notif notice;
    std::array<char, 1024> room;
  } received{};
  std::memset(&received, 0, sizeof received);
  if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &received.notice) != 0) return;
  Call call(listener_.get(), received.notice, writable_);
  if (!call.may_block()) {
    answer(listener_.get(), received.notice.id, call.run());
    return;
  }
  const pid_t child = ::fork();
  if (child > 0) return;
  if (child == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  answer(listener_.get(), received.notice.id, child < 0 ? EAGAIN : call.run());
  if (child == 0) ::_exit(0);
}

}  // namespace magi::confine
