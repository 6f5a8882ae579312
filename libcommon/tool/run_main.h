// What every main does around its own work.
#pragma once

#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/config/environment.h"

namespace magi::tool {

struct Invocation {
  std::string_view name;  // of the executable, as messages begin
  int argc;
  char** argv;
  config::Environment environment;
};

// The exit status, or the error that run_main reports and turns into one.
using Body = Result<int> (*)(Invocation&);

// Requires: the first thing that main does.
// - Descriptors 0 to 2 exist afterwards, so that no file of ours can land on them: a closed stdin reads as empty, a
// closed
//   stdout makes every write an error, a closed stderr swallows.
// - SIGPIPE has its default action, so that a filter dies quietly; who must outlive its reader calls
// os::ignore_sigpipe().
// - Nothing that `body` throws (out of memory, a library's exception) leaves: one line on stderr, exit 1.
// The umask is left as it is: files of ours name their modes, and commands run for the user need the user's mask.
int run_main(std::string_view name, int argc, char** argv, char** envp, Body body);

}  // namespace magi::tool
