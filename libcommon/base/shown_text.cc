#include "libcommon/base/shown_text.h"

#include "libcommon/base/utf8.h"

namespace magi {
namespace {

constexpr std::string_view kVisibleNul = "\xe2\x90\x80";
constexpr std::size_t kHeadCharacters = 12'000, kTailCharacters = 10'000;

}  // namespace

std::string visible(std::string text) {
  if (!utf8::is_valid(text)) text = utf8::sanitize(text);
  std::size_t at = text.find('\0');
  if (at == std::string::npos) return text;
  std::string out;
  out.reserve(text.size() + 64);
  std::size_t from = 0;
  for (; at != std::string::npos; at = text.find('\0', from)) {
    out.append(text, from, at - from).append(kVisibleNul);
    from = at + 1;
  }
  return out.append(text, from);
}

std::optional<std::string> shortened(std::string_view text) {
  if (text.size() <= kViewCharacters) return std::nullopt;
  const std::size_t characters = utf8::count(text);
  if (characters <= kViewCharacters) return std::nullopt;
  std::string out(text.substr(0, utf8::prefix_bytes(text, kHeadCharacters)));
  out += "\n[... " + std::to_string(characters - kHeadCharacters - kTailCharacters) + " characters omitted ...]\n";
  return out.append(text.substr(utf8::suffix_offset(text, kTailCharacters)));
}

}  // namespace magi
