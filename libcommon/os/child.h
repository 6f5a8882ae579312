// Child processes over posix_spawn: default signals, an empty mask, only the descriptors that are given.
//
// Death with the parent.  posix_spawn cannot set PR_SET_PDEATHSIG.  The contract of our own tools is that the closing
// of their stdin ends them, and a pipe closes however its writer dies: give every long-lived child a pipe as stdin.
// Programs that do not read stdin are started through a helper that sets the death signal (magi-confine).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::os {

struct SpawnOptions {
  std::string program;                                // path, never searched; a relative one starts at `cwd`
  std::vector<std::string> args;                      // without argv[0], which is `program`
  std::vector<std::string> env;                       // "KEY=VALUE"; the whole environment of the child
  std::string cwd;                                    // empty: ours
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;  // borrowed; -1: /dev/null
  std::vector<std::pair<int, int>> extra_fds;         // {ours, number in the child, at least 3}
  bool new_group = false;                             // process group of its own, its ID the child's pid
};

// Owner of one child process.  Destruction kills it (its group where it has one) with SIGKILL and reaps it.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  // -1 when there is none, or once it was reaped or released.
  pid_t pid() const { return pid_; }
  explicit operator bool() const { return pid_ > 0; }

  // Blocks until the child ends and reaps it: the wait status of waitpid(2).
  Result<int> wait();
  // The same within `timeout_ms` (0: a look); nothing while it still runs.
  Result<std::optional<int>> wait_for(int timeout_ms);

  // A child that has ended already is no error.
  Result<void> kill(int signal);
  // Every process of the group.  Requires: new_group.
  Result<void> kill_group(int signal);

  // Gives the process up: the caller waits for it (Boost.Process in event loops).
  pid_t release();

 private:
  friend Result<Child> spawn(const SpawnOptions& options);
  Child(pid_t pid, bool has_group) : pid_(pid), has_group_(has_group) {}
  void destroy();

  pid_t pid_ = -1;
  bool has_group_ = false;
};

// Errors name what is missing: the working directory or the program.
Result<Child> spawn(const SpawnOptions& options);

// Exit status of a wait status as a shell reports it: 128 + signal for a killed one.
int exit_code_of(int wait_status);

// First executable regular file called `name` in the folders of `path` (as $PATH); a `name` with '/' is taken as it is.
// Empty and relative folders are skipped.  kNotFound when there is none.
Result<std::string> find_executable(std::string_view name, std::string_view path);

}  // namespace magi::os
