#include "libcommon/tokens/build/vocabulary.h"

#include <algorithm>
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

// The lowest rank of tokens that begin or end with a part of a character and go on beyond that character.
struct Crossing {
  std::unordered_map<std::string_view, std::uint32_t> begins, ends;

  static void lower(std::unordered_map<std::string_view, std::uint32_t>& map, std::string_view part,
                    std::uint32_t rank) {
    auto [found, is_new] = map.try_emplace(part, rank);
    if (!is_new) found->second = std::min(found->second, rank);
  }

  explicit Crossing(const std::vector<std::string_view>& tokens) {
    for (std::uint32_t rank = 0; rank < tokens.size(); ++rank) {
      const std::string_view token = tokens[rank];
      for (std::size_t size = 1; size < std::min<std::size_t>(4, token.size()); ++size) {
        const std::string_view front = token.substr(0, size), back = token.substr(token.size() - size);
        if (std::all_of(front.begin(), front.end(), is_continuation) && !is_continuation(token[size]))
          lower(begins, front, rank);
        if (static_cast<std::uint8_t>(back[0]) >= 0xC0 && std::all_of(back.begin() + 1, back.end(), is_continuation))
          lower(ends, back, rank);
      }
    }
  }

  std::uint32_t lowest(std::string_view character) const {
    std::uint32_t rank = kNone;
    for (std::size_t size = 1; size < character.size(); ++size) {
      if (const auto it = ends.find(character.substr(0, size)); it != ends.end()) rank = std::min(rank, it->second);
      if (const auto it = begins.find(character.substr(size)); it != begins.end()) rank = std::min(rank, it->second);
    }
    return rank;
  }
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

std::vector<std::uint32_t> independent_characters(const Vocabulary& vocabulary) {
  const Crossing crossing(vocabulary.tokens());
  std::vector<std::uint32_t> tokens(0x10000, kNone);
  for (char32_t code = 0; code < 0x10000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string character;
    utf8::append(character, code);
    const auto rank = vocabulary.rank(character);
    const auto highest = highest_merge(vocabulary, character);
    if (rank && highest && *highest < crossing.lowest(character)) tokens[code] = *rank;
  }
  return tokens;
}

}  // namespace magi::o200k::build
