// The two ways of asking: one text on standard input, or a stream of requests.
#pragma once

#include "libcommon/base/result.h"
#include "tools/magi-assess/assess.h"

namespace magi::assess {

struct Options {
  Policy policy = Policy::kWarn;
  bool json = false, serve = false, check = false;
};

// The exit status.  Blocks until the end of standard input.
Result<int> run(const Options& options);

}  // namespace magi::assess
