#include "libcommon/context/elision.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::context {
namespace {

// So many bytes apart, at least: where a text of megabytes is cut near its end, it is not gone through twice.
constexpr std::size_t kMarkBytes = 4096;

struct Mark {
  std::size_t characters, bytes;  // before it
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Of valid UTF-8: the bytes that begin a character.
std::size_t count_plain(std::string_view text) {
  std::size_t at = 0, continuations = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    continuations += static_cast<std::size_t>(std::popcount(word >> 7 & ~(word >> 6) & 0x0101010101010101u));
  }
  for (; at < text.size(); ++at) continuations += is_continuation(text[at]);
  return text.size() - continuations;
}

// The characters of a raw string, with marks on the way.
std::size_t count(std::string_view raw, std::vector<Mark>& marks) {
  std::size_t at = 0, characters = 0;
  marks.push_back({0, 0});
  while (at < raw.size()) {
    if (raw[at] == '\\') {
      at += json::prefix_bytes(raw.substr(at, 12), 1);  // "\ud83d\ude00" is the longest
      ++characters;
    } else {
      const std::size_t limit = std::min(raw.size() - at, kMarkBytes);
      const void* escape = std::memchr(raw.data() + at, '\\', limit);
      std::size_t end = escape ? static_cast<std::size_t>(static_cast<const char*>(escape) - raw.data()) : at + limit;
      while (end < raw.size() && is_continuation(raw[end])) ++end;
      characters += count_plain(raw.substr(at, end - at));
      at = end;
    }
    if (at - marks.back().bytes >= kMarkBytes) marks.push_back({characters, at});
  }
  return characters;
}

// Source bytes of the first `characters` characters.
std::size_t bytes_before(std::string_view raw, std::size_t characters, const std::vector<Mark>& marks) {
  const auto behind = std::upper_bound(marks.begin(), marks.end(), characters,
                                       [](std::size_t wanted, const Mark& mark) { return wanted < mark.characters; });
  const Mark& mark = *(behind - 1);
  return mark.bytes + json::prefix_bytes(raw.substr(mark.bytes), characters - mark.characters);
}

}  // namespace

std::optional<std::int64_t> elide(std::string& out, std::string_view raw) {
  // A character takes at least one byte.
  if (raw.size() <= kLongOutputCharacters) return std::nullopt;
  std::vector<Mark> marks;
  const std::size_t characters = count(raw, marks);
  if (characters <= kLongOutputCharacters) return std::nullopt;
  // A character takes at most twelve bytes: what lies further on has no say in where the head ends.
  const std::size_t head = json::prefix_bytes(raw.substr(0, 12 * kKeptCharacters), kKeptCharacters);
  const std::size_t tail = bytes_before(raw, characters - kKeptCharacters, marks);
  const std::size_t omitted = characters - 2 * kKeptCharacters;
  out.append(raw.substr(0, head));
  out.append("\\n[... ").append(std::to_string(omitted)).append(" characters omitted ...]\\n");
  out.append(raw.substr(tail));
  return static_cast<std::int64_t>(omitted);
}

}  // namespace magi::context
