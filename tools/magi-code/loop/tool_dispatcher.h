// Where a run's tool calls go.  Today's only route is the session's magi-tool; the orchestrator's own tools, hooks and
// nested calls are further routes behind the same interface.
#pragma once

#include <functional>

#include "libcommon/event/answers.h"

namespace magi::code {

struct ToolHandlers {
  std::function<void(const event::ToolProgress&)> on_progress;
  // Exactly once a call, in call order, from the loop.
  std::function<void(event::ToolAnswer)> on_result;
};

class ToolDispatcher {
 public:
  virtual ~ToolDispatcher() = default;
  // A call is about to come: what takes time to start may start now.
  virtual void prepare() = 0;
  virtual void call(event::ToolCall call, ToolHandlers handlers) = 0;
  // Ends every open call; their results still arrive, as `cancelled`.
  virtual void cancel() = 0;
};

}  // namespace magi::code
