// magi-measure: runs one command and prints what it took, as one JSON object.
//
//   magi-measure [--output FILE] [--cwd DIR] [--sample] [--grace MS] COMMAND [ARGUMENT...]
//
// A small process on purpose: the kernel counts the memory of the process that spawns as that of the child until the
// child's program is loaded, so a figure taken from a large runtime could never be smaller than that runtime.
// Without --sample nothing runs beside the command, and times are exact.  With it, memory of the whole process tree is
// looked at once a millisecond.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

extern char** environ;

namespace {

struct Options {
  const char* output = "/dev/null";
  const char* cwd = nullptr;
  bool sample = false;
  long grace_ms = 2000;  // how long descendants may outlive the command before they count as left behind
  char** command = nullptr;
};

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

bool read_file(const std::string& path, std::string& text) {
  text.clear();
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[4096];
  for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  ::close(fd);
  return true;
}

void add_children(pid_t pid, std::vector<pid_t>& found) {
  std::string text;
  const std::string task = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children";
  if (!read_file(task, text)) return;
  const char* at = text.c_str();
  for (char* end;; at = end) {
    const long child = std::strtol(at, &end, 10);
    if (end == at) return;
    found.push_back(static_cast<pid_t>(child));
  }
}

struct Tree {
  std::int64_t rss_bytes = 0;
  int processes = 0;
};

// A child that has not yet loaded its program shares its parent's memory: both have the same start of the stack (field
// 28 of /proc/PID/stat), and only the larger of them counts.
Tree look_at_tree(pid_t self) {
  std::vector<pid_t> todo;
  add_children(self, todo);
  std::map<unsigned long long, std::int64_t> images;
  Tree tree;
  std::string stat;
  while (!todo.empty()) {
    const pid_t pid = todo.back();
    todo.pop_back();
    add_children(pid, todo);
    if (!read_file("/proc/" + std::to_string(pid) + "/stat", stat)) continue;
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    long long pages = 0;
    unsigned long long stack = 0;
    // Fields 3 (state) to 28 (startstack); 24 is rss in pages.
    std::sscanf(
        stat.c_str() + name_end + 2,
        "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %lld %*u %*u %*u %llu",
        &pages, &stack);
    std::int64_t& image = images[stack ? stack : static_cast<unsigned long long>(pid)];
    if (pages * ::sysconf(_SC_PAGESIZE) > image) image = pages * ::sysconf(_SC_PAGESIZE);
    ++tree.processes;
  }
  for (const auto& [stack, rss] : images) tree.rss_bytes += rss;
  return tree;
}

bool read_options(int argc, char** argv, Options& options) {
  int i = 1;
  for (; i < argc && std::strncmp(argv[i], "--", 2) == 0; ++i) {
    if (std::strcmp(argv[i], "--sample") == 0)
      options.sample = true;
    else if (i + 1 < argc && std::strcmp(argv[i], "--output") == 0)
      options.output = argv[++i];
    else if (i + 1 < argc && std::strcmp(argv[i], "--cwd") == 0)
      options.cwd = argv[++i];
    else if (i + 1 < argc && std::strcmp(argv[i], "--grace") == 0)
      options.grace_ms = std::atol(argv[++i]);
    else
      return false;
  }
  options.command = argv + i;
  return i < argc;
}

pid_t spawn(const Options& options) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, options.output, O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (options.cwd) posix_spawn_file_actions_addchdir_np(&actions, options.cwd);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, options.command[0], &actions, nullptr, options.command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  std::fprintf(stderr, "magi-measure: cannot run %s: %s\n", options.command[0], std::strerror(error));
  return -1;
}

// Waits for the command; with `sample`, looking at the tree as it runs.  Returns the time of its end.
std::int64_t await(pid_t pid, bool sample, int& status, rusage& usage, Tree& peak) {
  if (!sample) {
    while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    return now_ns();
  }
  while (::wait4(pid, &status, WNOHANG, &usage) == 0) {
    const Tree tree = look_at_tree(::getpid());
    if (tree.rss_bytes > peak.rss_bytes) peak.rss_bytes = tree.rss_bytes;
    if (tree.processes > peak.processes) peak.processes = tree.processes;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return now_ns();
}

// Descendants come to us when their parent ends.  Returns how many had to be killed.
int reap_descendants(long grace_ms) {
  const std::int64_t end = now_ns() + grace_ms * 1'000'000;
  int killed = 0;
  while (true) {
    const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid < 0) return killed;
    if (pid > 0) continue;
    if (now_ns() > end) {
      std::vector<pid_t> left;
      add_children(::getpid(), left);
      for (const pid_t child : left) killed += ::kill(child, SIGKILL) == 0;
    }
    const timespec pause{0, 500'000};
    ::nanosleep(&pause, nullptr);
  }
}

long long microseconds(const timeval& t) { return t.tv_sec * 1'000'000LL + t.tv_usec; }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) {
    std::fputs("usage: magi-measure [--output FILE] [--cwd DIR] [--sample] [--grace MS] COMMAND [ARGUMENT...]\n",
               stderr);
    return 2;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::int64_t start = now_ns();
  const pid_t pid = spawn(options);
  if (pid < 0) return 1;
  int status = 0;
  rusage usage{};
  Tree peak;
  const std::int64_t end = await(pid, options.sample, status, usage, peak);
  const int left = reap_descendants(options.grace_ms);
  rusage all{};
  ::getrusage(RUSAGE_CHILDREN, &all);
  std::printf(
      "{\"t0\":%lld,\"t1\":%lld,\"exit\":%d,\"cpu_us\":%lld,\"rss\":%lld,\"rss_largest\":%lld,\"tree_rss\":%lld,"
      "\"processes\":%d,\"left\":%d}\n",
      static_cast<long long>(start), static_cast<long long>(end),
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
      microseconds(all.ru_utime) + microseconds(all.ru_stime), usage.ru_maxrss * 1024LL, all.ru_maxrss * 1024LL,
      static_cast<long long>(peak.rss_bytes), peak.processes, left);
  return 0;
}
