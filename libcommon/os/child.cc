#include "libcommon/os/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace magi::os {
namespace {

// RAII over the two posix_spawn objects.  Their calls fail for want of memory or a bad number only; the first failure
// is kept and reported once.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  void check(int error_number) {
    if (error_ == 0) error_ = error_number;
  }
  int error() const { return error_; }
  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int error_ = 0;
};

void set_signals_and_group(SpawnPlan& plan, bool new_group) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  plan.check(posix_spawnattr_setsigdefault(plan.attributes(), &all));
  plan.check(posix_spawnattr_setsigmask(plan.attributes(), &none));
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (new_group) {
    plan.check(posix_spawnattr_setpgroup(plan.attributes(), 0));
    flags |= POSIX_SPAWN_SETPGROUP;
  }
  plan.check(posix_spawnattr_setflags(plan.attributes(), flags));
}

struct Mapping {
  int ours;  // -1: /dev/null
  int theirs;
};

// A dup2 to a number must not overwrite the source of a later one: sources in the way are moved up first.
Result<void> set_descriptors(SpawnPlan& plan, std::vector<Mapping> mappings, std::vector<Fd>& moved) {
  int last = 2;
  for (const Mapping& mapping : mappings) last = std::max(last, mapping.theirs);
  std::vector<bool> given(static_cast<std::size_t>(last) + 1);
  for (Mapping& mapping : mappings) {
    given[static_cast<std::size_t>(mapping.theirs)] = true;
    if (mapping.ours < 0 || mapping.ours > last || mapping.ours == mapping.theirs) continue;
    MAGI_TRY(Fd copy, duplicate(mapping.ours, last + 1));
    mapping.ours = copy.get();
    moved.push_back(std::move(copy));
  }
  for (const Mapping& mapping : mappings) {
    if (mapping.ours < 0)
      plan.check(posix_spawn_file_actions_addopen(plan.actions(), mapping.theirs, "/dev/null", O_RDWR, 0));
    else
      plan.check(posix_spawn_file_actions_adddup2(plan.actions(), mapping.ours, mapping.theirs));
  }
  for (int fd = 3; fd < last; ++fd)
    if (!given[static_cast<std::size_t>(fd)]) plan.check(posix_spawn_file_actions_addclose(plan.actions(), fd));
  plan.check(posix_spawn_file_actions_addclosefrom_np(plan.actions(), last + 1));
  return {};
}

std::vector<char*> pointers(const std::vector<std::string>& strings, const std::string* first) {
  std::vector<char*> out;
  out.reserve(strings.size() + 2);
  if (first != nullptr) out.push_back(const_cast<char*>(first->c_str()));
  for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// posix_spawn reports ENOENT for a missing program and a missing directory alike.
Result<void> check_directory(const std::string& cwd) {
  struct stat status {};
  if (::stat(cwd.c_str(), &status) != 0) {
    const int why = errno;
    return errno_error("working directory " + quoted(cwd), why);
  }
  if (!S_ISDIR(status.st_mode))
    return make_error(ErrorCode::kIo, "working directory ", quoted(cwd), ": not a directory");
  if (::access(cwd.c_str(), X_OK) != 0) {
    const int why = errno;
    return errno_error("working directory " + quoted(cwd), why);
  }
  return {};
}

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), has_group_(other.has_group_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    destroy();
    pid_ = std::exchange(other.pid_, -1);
    has_group_ = other.has_group_;
  }
  return *this;
}

Child::~Child() { destroy(); }

void Child::destroy() {
  if (pid_ <= 0) return;
  // The group first: once the leader is reaped its number may be another's.
  if (has_group_) ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Result<int> Child::wait() {
  if (pid_ <= 0) return make_error(ErrorCode::kInternal, "no child to wait for");
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno == EINTR) continue;
    return errno_error("cannot wait for a child", errno);
  }
  pid_ = -1;
  return status;
}

Result<std::optional<int>> Child::wait_for(int timeout_ms) {
  if (pid_ <= 0) return make_error(ErrorCode::kInternal, "no child to wait for");
  const Fd pidfd(open_pidfd(pid_));
  if (!pidfd) return errno_error("cannot watch a child", errno);
  pollfd ended{pidfd.get(), POLLIN, 0};
  const int ready = ::poll(&ended, 1, timeout_ms);
  if (ready < 0 && errno != EINTR) return errno_error("cannot watch a child", errno);
  if (ready <= 0) return std::optional<int>();
  MAGI_TRY(const int status, wait());
  return std::optional(status);
}

Result<void> Child::kill(int signal) {
  if (pid_ > 0 && ::kill(pid_, signal) != 0 && errno != ESRCH) return errno_error("cannot signal a child", errno);
  return {};
}

Result<void> Child::kill_group(int signal) {
  if (pid_ > 0 && ::kill(-pid_, signal) != 0 && errno != ESRCH) return errno_error("cannot signal a group", errno);
  return {};
}

pid_t Child::release() { return std::exchange(pid_, -1); }

Result<Child> spawn(const SpawnOptions& options) {
  SpawnPlan plan;
  std::vector<Fd> moved;
  std::vector<Mapping> mappings{{options.stdin_fd, 0}, {options.stdout_fd, 1}, {options.stderr_fd, 2}};
  for (const auto& [ours, theirs] : options.extra_fds) mappings.push_back({ours, theirs});
  set_signals_and_group(plan, options.new_group);
  MAGI_CHECK(set_descriptors(plan, std::move(mappings), moved));
  if (!options.cwd.empty()) {
    MAGI_CHECK(check_directory(options.cwd));
    plan.check(posix_spawn_file_actions_addchdir_np(plan.actions(), options.cwd.c_str()));
  }
  if (plan.error() != 0) return errno_error("cannot start " + quoted(options.program), plan.error());

  const std::vector<char*> args = pointers(options.args, &options.program);
  const std::vector<char*> env = pointers(options.env, nullptr);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, options.program.c_str(), plan.actions(), plan.attributes(), args.data(), env.data());
  if (failed != 0) return errno_error("cannot start " + quoted(options.program), failed);
  return Child(pid, options.new_group);
}

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Result<std::string> find_executable(std::string_view name, std::string_view path) {
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no executable ", quoted(name)); };
  if (name.empty()) return missing();
  if (name.find('/') != std::string_view::npos) {
    std::string found(name);
    if (!is_executable_file(found)) return missing();
    return found;
  }
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, colon);
    path.remove_prefix(std::min(colon + 1, path.size()));
    if (folder.empty() || folder.front() != '/') continue;
    std::string candidate = std::string(folder) + '/' + std::string(name);
    if (is_executable_file(candidate)) return candidate;
  }
  return missing();
}

}  // namespace magi::os
