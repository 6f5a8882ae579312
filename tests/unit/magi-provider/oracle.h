// What a recorded stream says, read in the plainest way: for comparison with the readers, which share no code with it
// but the JSON parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace magi::provider {

struct SaidCall {
  std::string name, arguments;  // arguments: compact JSON
  bool operator==(const SaidCall&) const = default;
};

struct Said {
  std::string text;
  std::vector<SaidCall> calls;
  std::optional<std::int64_t> input_tokens, output_tokens;
};

Said responses_say(std::string_view body);
Said messages_say(std::string_view body);
Said chat_says(std::string_view body);

// JSON text without blanks between its tokens; as it is where it is none.
std::string compact(std::string_view json);

}  // namespace magi::provider
