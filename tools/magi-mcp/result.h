// What a server answers a call with, as the result of a tool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"

namespace magi::mcp {

struct CallResult {
  bool is_error = false;
  std::string output;  // any bytes
  std::int64_t omitted_bytes = 0;
  std::vector<event::Part> parts;
};

// kUpstream: it is no result of a call.
Result<CallResult> read_call_result(const json::Node& result);

}  // namespace magi::mcp
