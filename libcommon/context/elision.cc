#include "libcommon/context/elision.h"

#include "libcommon/json/node.h"

namespace magi::context {

std::optional<std::int64_t> elide(std::string& out, std::string_view raw) {
  // A character takes at least one byte.
  if (raw.size() <= kLongOutputCharacters) return std::nullopt;
  const std::size_t characters = json::count_characters(raw);
  if (characters <= kLongOutputCharacters) return std::nullopt;
  const std::size_t head = json::prefix_bytes(raw, kKeptCharacters);
  const std::size_t tail = json::prefix_bytes(raw, characters - kKeptCharacters);
  const std::size_t omitted = characters - 2 * kKeptCharacters;
  out.append(raw.substr(0, head));
  out.append("\\n[... ").append(std::to_string(omitted)).append(" characters omitted ...]\\n");
  out.append(raw.substr(tail));
  return static_cast<std::int64_t>(omitted);
}

}  // namespace magi::context
