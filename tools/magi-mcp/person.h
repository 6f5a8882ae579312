// For people: one call, and a look at the servers.
#pragma once

#include <optional>
#include <string>

#include "libcommon/base/result.h"
#include "tools/magi-mcp/host.h"

namespace magi::mcp {

// `tool`: "SERVER/TOOL".  Prints the output; the exit status.
Result<int> call_for_person(Host& host, const std::string& tool, const std::optional<std::string>& argument);

// Starts every server and prints what it is, or why it is not.
Result<int> show_status(Host& host, bool as_json);

}  // namespace magi::mcp
