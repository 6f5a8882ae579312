#include "libcommon/os/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "libcommon/base/clock.h"
#include "libcommon/os/fd.h"

namespace magi::os {
namespace {

std::optional<std::string> read_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

// "pid (name) state parent ...": the name may hold anything, so the fields count from the last parenthesis.
pid_t parent_of(const char* pid) {
  const std::optional<std::string> stat = read_file(std::string("/proc/") + pid + "/stat");
  if (!stat) return -1;
  const std::size_t end = stat->rfind(')');
  return end == std::string::npos || end + 4 > stat->size() ? -1 : std::atoi(stat->c_str() + end + 4);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Kernels without /proc/PID/task/TID/children.
std::vector<pid_t> children_by_search() {
  std::vector<pid_t> children;
  const std::unique_ptr<DIR, CloseFolder> processes(::opendir("/proc"));
  if (!processes) return children;
  const pid_t self = ::getpid();
  while (const dirent* entry = ::readdir(processes.get()))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(entry->d_name) == self)
      children.push_back(std::atoi(entry->d_name));
  return children;
}

}  // namespace

Result<void> become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return errno_error("cannot adopt orphaned processes", errno);
  return {};
}

std::vector<pid_t> children_of_self() {
  const std::optional<std::string> list = read_file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  if (!list) return children_by_search();
  std::vector<pid_t> children;
  for (const char* at = list->c_str(); *at != '\0';) {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) break;
    children.push_back(static_cast<pid_t>(pid));
    for (at = end; *at == ' ';) ++at;
  }
  return children;
}

bool kill_descendants(int patience_ms, const std::vector<pid_t>& keep) {
  const std::int64_t give_up = monotonic_ns() + patience_ms * std::int64_t{1'000'000};
  for (int round = 0;; ++round) {
    bool left = false, reaped = false;
    for (const pid_t child : children_of_self()) {
      if (std::find(keep.begin(), keep.end(), child) != keep.end()) continue;
      left = true;
      ::kill(child, SIGKILL);
      reaped |= ::waitpid(child, nullptr, WNOHANG) == child;
    }
    if (!left) return true;
    if (monotonic_ns() > give_up) return false;
    // Dying takes a moment; without progress look less often.
    if (!reaped) ::poll(nullptr, 0, round < 50 ? 1 : 20);
  }
}

}  // namespace magi::os
