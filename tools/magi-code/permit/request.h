// What a tool wants the user's word on, as rules and as people see it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcommon/event/answers.h"
#include "tools/magi-code/loop/run_records.h"
#include "tools/magi-code/loop/tool_guard.h"
#include "tools/magi-code/permit/rule.h"

namespace magi::code::permit {

struct Wanted {
  Subject subject;
  ApprovalRequest request;
};

// Nothing where the tool has not refused for want of approval.
std::optional<Wanted> wanted_approval(const event::ToolCall& call, const event::ToolAnswer& answer,
                                      std::string_view root);

// What the model reads where nobody can be asked: the tool's reason, and what would allow the call.
std::string refusal_text(const event::ToolAnswer& answer, const ApprovalRequest& request);

// kUsage: no such decision.
Result<Approval> approval_of(std::string_view decision, std::string pattern, std::string reason);

}  // namespace magi::code::permit
