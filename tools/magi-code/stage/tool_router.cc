#include "tools/magi-code/stage/tool_router.h"

namespace magi::code {

void ToolRouter::prepare() {
  own_.prepare();
  for (const auto& [prefix, host] : others_) host->prepare();
}

void ToolRouter::call(event::ToolCall call, ToolHandlers handlers) {
  for (const auto& [prefix, host] : others_)
    if (call.name.starts_with(prefix)) return host->call(std::move(call), std::move(handlers));
  own_.call(std::move(call), std::move(handlers));
}

void ToolRouter::cancel() {
  own_.cancel();
  for (const auto& [prefix, host] : others_) host->cancel();
}

}  // namespace magi::code
