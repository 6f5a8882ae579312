// magi-web: fetches one page and prints it as text.
#pragma once

#include "libcommon/tool/run_main.h"

namespace magi::web {

// The exit status, or the error that stopped it.
Result<int> run(tool::Invocation& invocation);

}  // namespace magi::web
