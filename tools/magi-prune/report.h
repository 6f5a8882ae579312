// What magi-prune says of what it did: counts and bounded words, never a name, a path or content.
#pragma once

#include "libcommon/base/result.h"
#include "tools/magi-prune/prune.h"

namespace magi::prune {

// Prints, and gives the exit status: 1 when something that has expired is still there.
Result<int> report(const Options& options, const Outcome& outcome);

}  // namespace magi::prune
