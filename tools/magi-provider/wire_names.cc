#include "tools/magi-provider/wire_names.h"

#include <algorithm>

#include "libcommon/digest/sha256.h"

namespace magi::provider {
namespace {

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }
// Without what a JSON string would have to escape.
bool is_printable(char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; }

// The legal characters of the front, then enough of a digest that two illegal names stay two.
std::string replaced(std::string_view text, std::size_t max_bytes, bool (*is_legal)(char)) {
  constexpr std::size_t kDigestCharacters = 8;
  std::string name(text.substr(0, max_bytes - kDigestCharacters - 1));
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_legal(c); }, '_');
  return name + "_" + sha256_hex(text).substr(0, kDigestCharacters);
}

}  // namespace

std::string legal_id(std::string_view id, const IdRules& rules) {
  if (rules.nine_alphanumerics) {
    constexpr std::size_t kLength = 9;
    const bool legal = id.size() == kLength && std::all_of(id.begin(), id.end(), is_alphanumeric);
    return legal ? std::string(id) : sha256_hex(id).substr(0, kLength);
  }
  bool (*const is_legal)(char) = rules.any_printable ? is_printable : is_word;
  if (!id.empty() && id.size() <= rules.max_bytes && std::all_of(id.begin(), id.end(), is_legal))
    return std::string(id);
  return replaced(id, rules.max_bytes, is_legal);
}

std::string legal_tool_name(std::string_view name) {
  constexpr std::size_t kMaxBytes = 64;
  if (!name.empty() && name.size() <= kMaxBytes && std::all_of(name.begin(), name.end(), is_word))
    return std::string(name);
  return replaced(name, kMaxBytes, is_word);
}

}  // namespace magi::provider
