// magi-perms's command line, and the look, the question and the repair in their order.
#pragma once

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"

namespace magi::perms {

// The whole program: the exit status, or the error that explains it.
Result<int> run(tool::Invocation& invocation);

}  // namespace magi::perms
