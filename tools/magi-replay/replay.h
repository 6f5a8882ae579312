// A session in, its conversation out.
#pragma once

#include <optional>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"

namespace magi::replay {

struct Options {
  std::optional<std::string> operand, home;
  std::string until;  // empty: all
  std::string from;   // codex, claude, pi; empty: a session of ours
  bool pretty = false, no_digest = false;
};

// Writes the stream to stdout and notices to stderr.  Returns the exit status.
Result<int> run(const Options& options, const tool::Invocation& invocation);

}  // namespace magi::replay
