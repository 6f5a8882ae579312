// Deletes what has expired, one session after another; a failure at one costs none of the others.
#pragma once

#include <cstdint>

#include "libcommon/base/result.h"
#include "libcommon/session/removal.h"
#include "tools/magi-prune/options.h"

namespace magi::prune {

struct Outcome {
  std::int64_t deleted = 0, kept = 0, skipped_active = 0, failed = 0;
  session::FailureCounts failures;    // why something could not be deleted
  session::FailureCounts left_alone;  // what is no session file: "other_name", "unsafe"
  bool interrupted = false;
};

// Requires: options.days.  Error: the home or its sessions cannot be used at all; nothing was deleted.
Result<Outcome> run(const Options& options);

}  // namespace magi::prune
