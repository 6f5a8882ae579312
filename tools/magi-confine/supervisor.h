// Watches over the running command and everything it started.
#pragma once

#include "libcommon/base/result.h"
#include "tools/magi-confine/launch.h"
#include "tools/magi-confine/options.h"

namespace magi::confine {

// Says what --probe asks, on stdout.  Exit status 0 when all that the options ask for can be had.
Result<int> probe(const Options& options);

// Starts the command and blocks until it and, with a host descriptor, everything it left running has ended; then the
// exit status of the command, 128 + N for signal N.
//
// Status descriptor, a line each: "started PID", then "exit N" or "signal N" as soon as the command ends, followed by
// "left" when it left processes running; or, when it never ran, "refused WHY" (not to be confined) or "failed WHY".
// Host descriptor: a byte 'T' sends SIGTERM to the command's process group; its end kills everything.
Result<int> supervise(const Options& options);

}  // namespace magi::confine
