// Starts the command: a session of its own without terminal, stdin empty, confined as asked, dead when this process is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "tools/magi-confine/bubblewrap.h"
#include "tools/magi-confine/options.h"

namespace magi::confine {

struct Launched {
  pid_t pid = -1;
  os::Fd listener;  // for the broker; empty where there is none
};

// What launch() needs to know beyond the options.
struct Confinement {
  os::Fd ruleset;  // empty: files are not confined
  int landlock_abi = 0;
  std::vector<std::string> writable;  // resolved
  Wrapper wrapper;                    // where bubblewrap confines
};

// kDenied where what the options ask for cannot be had here.
Result<Confinement> prepare(const Options& options);

// Blocks until the command runs or has failed.  kDenied: not confined as asked, so not started; kNotFound and kIo: the
// command cannot be executed.  With an empty command (--probe) the child confines itself and ends.
Result<Launched> launch(const Options& options, const Confinement& confinement);

}  // namespace magi::confine
