#include "tools/magi-tool/beneath.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace magi::toolbox {
namespace {

constexpr int kMostLinks = 40;  // as the kernel counts

os::Fd fail(int error) {
  errno = error;
  return os::Fd();
}

void push_front(std::deque<std::string>& components, std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (const std::string_view part = path.substr(0, end); !part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  components.insert(components.begin(), parts.begin(), parts.end());
}

std::optional<std::string> link_target(int folder, const std::string& name) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  if (length < 0 || length == static_cast<ssize_t>(target.size())) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace

os::Fd walk_beneath(int folder, const std::string& path, int flags, mode_t mode, Links links) {
  if (path.empty()) return fail(ENOENT);
  if (path.front() == '/') return fail(EXDEV);
  std::deque<std::string> components;
  push_front(components, path);
  // Each folder of the way stays open: ".." goes back to the one that was really passed, even if it was moved since.
  std::vector<os::Fd> way;
  const auto here = [&] { return way.empty() ? folder : way.back().get(); };
  for (int links_seen = 0; !components.empty();) {
    const std::string name = std::move(components.front());
    components.pop_front();
    if (name == "..") {
      if (way.empty()) return fail(EXDEV);
      way.pop_back();
      continue;
    }
    const bool last = components.empty();
    struct stat status {};
    const bool exists = ::fstatat(here(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists && (!last || !(flags & O_CREAT))) return os::Fd();
    if (exists && S_ISLNK(status.st_mode) && !(last && (flags & O_NOFOLLOW))) {
      if (links == Links::kRefuse || ++links_seen > kMostLinks) return fail(ELOOP);
      const std::optional<std::string> target = link_target(here(), name);
      if (!target) return os::Fd();
      if (target->starts_with('/')) return fail(EXDEV);
      push_front(components, *target);
      continue;
    }
    const int how = last ? flags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW;
    os::Fd next(::openat(here(), name.c_str(), how | O_CLOEXEC, mode));
    if (!next || last) return next;
    way.push_back(std::move(next));
  }
  return os::Fd(::openat(here(), ".", flags | O_CLOEXEC, mode));
}

os::Fd open_beneath(int folder, const std::string& path, int flags, mode_t mode, Links links) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = flags & (O_CREAT | O_TMPFILE) ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (links == Links::kRefuse ? RESOLVE_NO_SYMLINKS : 0);
  const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
  if (fd >= 0) return os::Fd(static_cast<int>(fd));
  // A filter around this process may refuse what it does not know with EPERM.
  if (errno == ENOSYS || errno == EPERM) return walk_beneath(folder, path, flags, mode, links);
  return os::Fd();
}

}  // namespace magi::toolbox
