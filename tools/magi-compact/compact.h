// The whole of a compaction: replay, request, summary, rotation (requirements C1 to C5).
#pragma once

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-compact/options.h"

namespace magi::compact {

// Returns the exit status.  On an error the session is as it was, unless the text says that its new state stands.
Result<int> run(const Options& options, const tool::Invocation& invocation);

}  // namespace magi::compact
