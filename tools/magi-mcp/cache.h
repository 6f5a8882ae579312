// What servers offered last, kept in the home, so that the first request of a session need not wait for them.  A file a
// server and workspace; it holds no secret: variables stand in settings by their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "tools/magi-mcp/definitions.h"

namespace magi::mcp {

// The name of a server's file: it changes with everything that its tools may depend on.
std::string cache_name(const std::string& server, const config::McpServerSettings& settings, const std::string& root);

// Nothing where there is none, or none that can be read.
std::optional<std::vector<RemoteTool>> cached_tools(const session::Home& home, const std::string& name);

// Errors are not told: without a cache the next session waits.
void keep_tools(const session::Home& home, const std::string& name, const std::vector<RemoteTool>& tools);

}  // namespace magi::mcp
