// The processes that a subreaper is responsible for: its children, and what is left to it when they end.
#pragma once

#include <sys/types.h>

#include <vector>

#include "libcommon/base/result.h"

namespace magi::os {

// From now on every orphaned descendant becomes a child of this process.
Result<void> become_subreaper();

// Children of the calling process, ended ones that are not reaped included.
std::vector<pid_t> children_of_self();

// Kills every descendant and reaps it, except the children in `keep` and what those still hold.  Only own children are
// killed, and their children once they have become ours: a child that is not reaped keeps its number, so no stranger
// can be hit.  False when something is left after `patience_ms` (another user's, or stuck in the kernel). Requires: the
// caller is a subreaper with one thread.
bool kill_descendants(int patience_ms, const std::vector<pid_t>& keep = {});

}  // namespace magi::os
