// A server that is spoken to over HTTP ("streamable HTTP" of MCP): each message a POST, answered by JSON or by events.
#pragma once

#include <map>
#include <string>

#include "tools/magi-mcp/channel.h"
#include "tools/magi-mcp/http.h"

namespace magi::mcp {

struct HttpSpec {
  std::string url;
  std::vector<std::string> headers;  // "Name: value", variables replaced
};
// Requires: `loop` and `http` outlive it.
std::unique_ptr<Channel> open_http(Loop& loop, Http& http, HttpSpec spec, Channel::Handlers handlers);

// When a request that a server refused for now is sent again; nothing: not at all.  `tries` is how often it was sent.
// `server_s`: what the server asks for; a wait beyond a minute is better told than taken.  `unit_random` in [0, 1).
std::optional<double> retry_delay(int tries, std::optional<double> server_s, double unit_random);

}  // namespace magi::mcp
