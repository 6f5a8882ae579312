// magi-export's command line and what it prints.
#pragma once

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"

namespace magi::exporting {

// The whole program: the exit status, or the error that explains it.
Result<int> run(tool::Invocation& invocation);

}  // namespace magi::exporting
