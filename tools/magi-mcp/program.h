// magi-mcp: a client of MCP servers, as a host of tools.
#pragma once

#include "libcommon/tool/run_main.h"

namespace magi::mcp {

// The exit status, or the error that stopped it.
Result<int> run(tool::Invocation& invocation);

}  // namespace magi::mcp
