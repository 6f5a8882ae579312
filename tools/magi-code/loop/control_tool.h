// magi_control: how the model asks how full its context is, and for a compaction.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::code {

inline constexpr std::string_view kControlTool = "magi_control";
// {name, description, parameters}, as in the list of tools.
inline constexpr std::string_view kControlDefinition =
    R"({"name":"magi_control","description":"Look after your own context. action context_usage: how many tokens the )"
    R"(conversation takes, of how many. action compact: have it replaced by a summary before your next step; )"
    R"(instructions say what the summary must keep.","parameters":{"type":"object","properties":{"action":{"type":)"
    R"("string","enum":["context_usage","compact"]},"instructions":{"type":"string"}},"required":["action"],)"
    R"("additionalProperties":false}})";

// What a call that changes nothing is recorded with.
inline constexpr std::string_view kNoEffects = R"({"kind":"none","mutations":0,"shell_calls":0})";

struct ControlWish {
  enum class Action { kContextUsage, kCompact } action = Action::kContextUsage;
  std::string instructions;
};

// Error kUsage, for the model: unknown, missing or mistyped arguments.
Result<ControlWish> read_control_call(std::string_view arguments);

}  // namespace magi::code
