// JSON-RPC 2.0 as MCP uses it: one message a value.  Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/json/node.h"

namespace magi::mcp {

struct Message {
  enum class Kind {
    kInvalid,       // `error` says why
    kRequest,       // of the server: `method`, `raw_id`, `params`
    kNotification,  // `method`, `params`
    kResult,        // of a request of ours: `id`, `result`
    kError,         // of a request of ours: `id`, `code`, `error`
  };
  Kind kind = Kind::kInvalid;
  std::string method;
  std::string raw_id;              // JSON text, to be sent back as it came
  std::optional<std::int64_t> id;  // nothing: not one that we give
  json::Node params, result;       // valid as long as the node that was read
  std::int64_t code = 0;
  std::string error;
  bool is_final = false;  // an error that trying again does not mend
};

Message read_message(const json::Node& node);

// One line without its LF.  `params`, `result`: JSON text.
std::string request(std::int64_t id, std::string_view method, std::string_view params);
std::string notification(std::string_view method, std::string_view params);
std::string reply(std::string_view raw_id, std::string_view result);
std::string error_reply(std::string_view raw_id, std::int64_t code, std::string_view message);

inline constexpr std::int64_t kMethodNotFound = -32601;

}  // namespace magi::mcp
