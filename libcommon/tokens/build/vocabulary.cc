#include "libcommon/tokens/build/vocabulary.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "libcommon/base/utf8.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/tokens/o200k/layout.h"

namespace magi::o200k::build {
namespace {

// openai/tiktoken, tiktoken_ext/openai_public.py: expected_hash of o200k_base.tiktoken.
constexpr std::string_view kOfficialSha256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < group.size() ? static_cast<std::uint8_t>(group[i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) out += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
}

// One token a line: base64, its rank.
std::string official_text(const std::vector<std::string_view>& tokens) {
  std::string text;
  for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
    append_base64(text, tokens[rank]);
    text += " " + std::to_string(rank) + "\n";
  }
  return text;
}

bool is_continuation(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; }

// Tokens that begin or end with a part of a character and go on beyond it: by that part, rank and byte beyond.
struct Crossing {
  struct Beyond {
    std::uint32_t rank;
    std::uint8_t byte;
  };
  using Map = std::unordered_map<std::string_view, std::vector<Beyond>>;
  Map begins, ends;

  explicit Crossing(const std::vector<std::string_view>& tokens) {
    for (std::uint32_t rank = 0; rank < tokens.size(); ++rank) {
      const std::string_view token = tokens[rank];
      for (std::size_t size = 1; size < std::min<std::size_t>(4, token.size()); ++size) {
        const std::string_view front = token.substr(0, size), back = token.substr(token.size() - size);
        const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(token[at]); };
        if (std::all_of(front.begin(), front.end(), is_continuation) && !is_continuation(token[size]))
          begins[front].push_back({rank, byte(size)});
        if (byte(token.size() - size) >= 0xC0 && std::all_of(back.begin() + 1, back.end(), is_continuation))
          ends[back].push_back({rank, byte(token.size() - size - 1)});
      }
    }
  }

  static void add(const Map& map, std::string_view part, std::uint32_t below, std::set<std::uint8_t>& bytes) {
    const auto found = map.find(part);
    if (found == map.end()) return;
    for (const Beyond& beyond : found->second)
      if (beyond.rank < below) bytes.insert(beyond.byte);
  }
};

// Numbers sets as they come, and marks for each byte the sets that hold it.
class Sets {
 public:
  std::uint32_t number(const std::set<std::uint8_t>& bytes) {
    const auto [found, is_new] = numbers_.try_emplace(bytes, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new && found->second < kCharSets)
      for (const std::uint8_t byte : bytes) of_byte[byte] |= std::uint64_t{1} << found->second;
    return found->second;
  }

  std::vector<std::uint64_t> of_byte = std::vector<std::uint64_t>(256);

 private:
  std::map<std::set<std::uint8_t>, std::uint32_t> numbers_;
};

// The highest rank among the merges that make one token of the character; nothing where they do not.
std::optional<std::uint32_t> highest_merge(const Vocabulary& vocabulary, std::string_view character) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; i < character.size(); ++i) parts.push_back(character.substr(i, 1));
  std::uint32_t highest = 0;
  while (parts.size() > 1) {
    std::uint32_t best = kNone;
    std::size_t where = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto rank = vocabulary.rank({parts[i].data(), parts[i].size() + parts[i + 1].size()});
      if (!rank || *rank >= best) continue;
      best = *rank;
      where = i;
    }
    if (best == kNone) return std::nullopt;
    highest = std::max(highest, best);
    parts[where] = {parts[where].data(), parts[where].size() + parts[where + 1].size()};
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
  return highest;
}

}  // namespace

Result<Vocabulary> Vocabulary::parse(std::string bytes) {
  Vocabulary vocabulary;
  vocabulary.bytes_ = std::move(bytes);
  const std::string_view all = vocabulary.bytes_;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t size = static_cast<std::uint8_t>(all[at]);
    if (size == 0 || at + 1 + size > all.size()) return make_error(ErrorCode::kBadRecord, "vocabulary: broken token");
    vocabulary.tokens_.push_back(all.substr(at + 1, size));
    at += 1 + size;
  }
  if (sha256_hex(official_text(vocabulary.tokens_)) != kOfficialSha256)
    return make_error(ErrorCode::kBadRecord, "vocabulary: not the official o200k_base");
  for (std::uint32_t rank = 0; rank < vocabulary.tokens_.size(); ++rank)
    vocabulary.ranks_.emplace(vocabulary.tokens_[rank], rank);
  return vocabulary;
}

std::optional<std::uint32_t> Vocabulary::rank(std::string_view token) const {
  const auto found = ranks_.find(token);
  if (found == ranks_.end()) return std::nullopt;
  return found->second;
}

Result<CharStarts> char_starts(const Vocabulary& vocabulary) {
  const Crossing crossing(vocabulary.tokens());
  Sets after, before;
  CharStarts starts;
  starts.characters.assign(0x10000, kNone);
  for (char32_t code = 0x80; code < 0x10000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string character;
    utf8::append(character, code);
    const auto rank = vocabulary.rank(character);
    const auto highest = highest_merge(vocabulary, character);
    if (!rank || !highest) continue;
    std::set<std::uint8_t> bytes_before, bytes_behind;
    for (std::size_t size = 1; size < character.size(); ++size) {
      Crossing::add(crossing.ends, std::string_view(character).substr(0, size), *highest, bytes_before);
      Crossing::add(crossing.begins, std::string_view(character).substr(size), *highest, bytes_behind);
    }
    const std::uint32_t first = after.number(bytes_before), second = before.number(bytes_behind);
    if (first >= kCharSets || second >= kCharSets)
      return make_error(ErrorCode::kLimit, "characters: more sets than are numbered");
    starts.characters[code] = *rank | first << kCharIdBits | second << (kCharIdBits + kCharSetBits);
  }
  starts.after = std::move(after.of_byte);
  starts.before = std::move(before.of_byte);
  return starts;
}

}  // namespace magi::o200k::build
