// magi-provider as a whole: which of its jobs is asked for, and with what.
#pragma once

#include "libcommon/tool/run_main.h"

namespace magi::provider {

Result<int> run(tool::Invocation& invocation);

}  // namespace magi::provider
