// One turn of a script from its JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fake/script.h"

namespace magi::fake {

struct TurnContext {
  const std::vector<std::string>& tool_names;  // that the request offers: `any` takes the first of these
  std::uint32_t assistant_turns;               // gives call ids that are unique in a conversation
  const std::string& folder;
};

// Error: kBadRecord that names an unknown or mistyped key.
Result<Turn> read_turn(const json::Node& node, const TurnContext& context);

Result<std::string> read_file(const std::string& path);

}  // namespace magi::fake
