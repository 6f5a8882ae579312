// The stream of calls: each record in, one result out, in the order of the calls, one call at a time.
#pragma once

#include <string>

#include "libcommon/base/result.h"
#include "tools/magi-mcp/host.h"

namespace magi::mcp {

struct ServeOptions {
  std::string mode;          // of permissions
  bool list_first = false;   // definitions and an `end` record before the first result
  std::int64_t wait_ms = 0;  // for servers of which nothing is known yet
};

// Blocks until the input ends; the exit status.
Result<int> serve(Host& host, const ServeOptions& options);

// The definitions alone, fresh where they come within `wait_ms`; 0: those of the cache, and nothing is started.
Result<int> list(Host& host, std::int64_t wait_ms);

}  // namespace magi::mcp
