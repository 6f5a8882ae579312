// Several hosts of tools as one: each call goes to the host that has its name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/magi-code/loop/tool_dispatcher.h"

namespace magi::code {

// What the names of tools of MCP servers begin with.
inline constexpr std::string_view kMcpPrefix = "mcp__";

class ToolRouter : public ToolDispatcher {
 public:
  // The hosts must outlive the router.  `own` gets every call that no other host takes.
  explicit ToolRouter(ToolDispatcher& own) : own_(own) {}
  // Calls of tools whose names begin with `prefix` go to `host`.
  void add(std::string_view prefix, ToolDispatcher& host) { others_.emplace_back(prefix, &host); }

  void prepare() override;
  void call(event::ToolCall call, ToolHandlers handlers) override;
  void cancel() override;

 private:
  ToolDispatcher& own_;
  std::vector<std::pair<std::string, ToolDispatcher*>> others_;
};

}  // namespace magi::code
