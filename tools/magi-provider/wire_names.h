// Names and ids in the alphabet and length that an API accepts.  Legal ones stay as they are; others change always in
// the same way, so that a call and its result agree, and so do two requests of a conversation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace magi::provider {

struct IdRules {
  std::size_t max_bytes = 64;
  bool any_printable = true;        // but quote and backslash; else letters, digits, '_' and '-'
  bool nine_alphanumerics = false;  // Mistral: exactly nine letters and digits
};

std::string legal_id(std::string_view id, const IdRules& rules);

// A tool's name: letters, digits, '_' and '-', at most 64; never empty.
std::string legal_tool_name(std::string_view name);

}  // namespace magi::provider
