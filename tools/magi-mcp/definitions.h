// The tools of a server: what it says of them, bounded, and the names under which they are offered to a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::mcp {

inline constexpr std::size_t kMostTools = 128;             // of one server
inline constexpr std::size_t kLongestToolName = 128;       // as the server spells it
inline constexpr std::size_t kLongestDescription = 4'000;  // bytes; what is longer is cut
inline constexpr std::size_t kLargestSchema = 32 * 1024;   // bytes; a tool with a larger one is left out
inline constexpr std::size_t kLongestOfferedName = 64;     // the limit of OpenAI and Anthropic

struct RemoteTool {
  std::string name;         // as the server calls it
  std::string description;  // one text for the model; may be empty
  std::string schema;       // JSON, an object
  bool read_only = false;   // the server says so
  bool as_task = false;     // it can be called as a task only: the result is asked for by itself
};

// One entry of a tools/list result, or of a stored list.  Appends it, or one line to `remarks` that says why not.
void read_tool(const json::Node& entry, std::vector<RemoteTool>& tools, std::vector<std::string>& remarks);

// The list as JSON that read_tool() reads again.
std::string stored_tools(const std::vector<RemoteTool>& tools);

// "mcp__SERVER__TOOL" with what providers do not take replaced, at most 64 characters, each name once: where one was
// changed or is taken, its end tells it apart by a digest of the whole.
class Names {
 public:
  struct Target {
    std::string server, tool;
    bool read_only = false;
  };
  const std::string& add(const std::string& server, const RemoteTool& tool);
  const Target* find(const std::string& offered) const;

 private:
  std::map<std::string, Target> targets_;
};

}  // namespace magi::mcp
