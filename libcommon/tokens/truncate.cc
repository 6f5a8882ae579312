// The longest prefix within a number of tokens.  Counts do not grow evenly with a text: a longer prefix may be fewer
// tokens ("hel", "hello").  So the piece in which the limit is reached is tried end by end, the longest first.
#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/tokens/o200k.h"
#include "libcommon/tokens/o200k/scanner.h"

namespace magi::o200k {
namespace {

constexpr std::size_t kStrideBytes = 64 * 1024;
// Pieces up to this size are tried whole.
constexpr std::size_t kSmallPiece = 1024;
// In longer ones a prefix is merged from so far before its end, and ends are tried so far behind the last whole token.
constexpr std::size_t kLookBack = 1024, kLookAhead = 2 * kMaxTokenBytes;

std::size_t next_character(std::string_view text, std::size_t at) {
  return at < text.size() ? at + utf8::decode(text, at).length : at;
}

// A text that begins with a long piece, and counts of its prefixes near some place without merging all of each: tokens
// that both the piece and the end of a prefix have are where the two may be joined (o200k/long_piece.h).
class LongPrefixes {
 public:
  LongPrefixes(std::string_view text, std::size_t piece_bytes) : text_(text) {
    ends_.push_back(0);
    for (const std::uint32_t id : encode_ordinary(text.substr(0, piece_bytes)))
      ends_.push_back(ends_.back() + token_bytes(id)->size());
  }

  // Where the piece's token of that number ends.
  std::size_t end_of(std::uint64_t tokens) const { return ends_[std::min<std::uint64_t>(tokens, ends_.size() - 1)]; }

  std::uint64_t count(std::size_t end) const {
    const auto from = std::upper_bound(ends_.begin(), ends_.end(), end > kLookBack ? end - kLookBack : 0) - 1;
    std::size_t at = *from, tokens = 0;
    const std::vector<std::uint32_t> ids = encode_ordinary(text_.substr(at, end - at));
    auto other = from;
    for (const std::uint32_t id : ids) {
      const std::size_t token_end = at + token_bytes(id)->size();
      while (other != ends_.end() && *other < at) ++other;
      const bool is_common = other + 1 < ends_.end() && *other == at && other[1] == token_end;
      if (is_common && utf8_aligned(*from))
        return static_cast<std::uint64_t>(other - ends_.begin()) + ids.size() - tokens;
      ++tokens;
      at = token_end;
    }
    return o200k::count(text_.substr(0, end));
  }

 private:
  // A token may end inside a character; there a text does not begin.
  bool utf8_aligned(std::size_t at) const { return (static_cast<std::uint8_t>(text_[at]) & 0xC0) != 0x80; }

  std::string_view text_;
  std::vector<std::size_t> ends_;
};

// `text` begins with the last two pieces within which the limit is passed, the second being `second`..`end`.
std::size_t longest(std::string_view text, std::size_t second, std::size_t end, std::uint64_t limit) {
  std::size_t last = next_character(text, end);
  if (end - second <= kSmallPiece) {
    for (; last > second; last = utf8::floor_boundary(text, last - 1))
      if (count(text.substr(0, last)) <= limit) break;
    return last;
  }
  const std::uint64_t before = count(text.substr(0, second));
  if (before >= limit) return second;
  const LongPrefixes prefixes(text.substr(second), end - second);
  last = utf8::floor_boundary(text, std::min(last, second + prefixes.end_of(limit - before) + kLookAhead));
  for (; last > second; last = utf8::floor_boundary(text, last - 1))
    if (before + prefixes.count(last - second) <= limit) break;
  return last;
}

}  // namespace

std::string_view truncate(std::string_view text, std::uint64_t limit) {
  std::size_t begin = 0;
  // Whole strides first; they end where pieces do.
  while (text.size() - begin > kStrideBytes) {
    const std::size_t stride = last_split(text.substr(begin, kStrideBytes));
    const std::uint64_t tokens = stride ? count_until(text.substr(begin, stride), limit) : limit + 1;
    if (tokens > limit) break;
    limit -= tokens;
    begin += stride;
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const Tables tables;
  const Scanner scanner(tables, bytes + text.size());
  // White space behind which the text is cut takes one character more than otherwise, so the piece before counts too.
  std::size_t previous = begin;
  std::uint64_t previous_tokens = 0;
  for (std::size_t at = begin; at < text.size();) {
    const auto end = static_cast<std::size_t>(scanner.piece_end(bytes + at) - bytes);
    const std::uint64_t tokens = count_until(text.substr(at, end - at), limit - previous_tokens);
    if (previous_tokens + tokens > limit)
      return text.substr(0, previous + longest(text.substr(previous), at - previous, end - previous, limit));
    limit -= previous_tokens;
    previous_tokens = tokens;
    previous = at;
    at = end;
  }
  return text;
}

}  // namespace magi::o200k
