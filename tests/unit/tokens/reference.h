// o200k_base once more, slowly and word for word: the pattern's alternatives in their order with all their
// backtracking, and merging by looking at every pair each time.  For tests only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/base/utf8.h"
#include "libcommon/tokens/o200k.h"
#include "libcommon/tokens/o200k/tables.h"

namespace magi::o200k::reference {

class Pattern {
 public:
  explicit Pattern(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const utf8::Decoded d = utf8::decode(text, at);
      chars_.push_back(d.code_point);
      kinds_.push_back(Tables().char_class(d.code_point));
      offsets_.push_back(at);
      at += d.length;
    }
    offsets_.push_back(text.size());
  }

  // Where each piece ends, in bytes.
  std::vector<std::size_t> ends() const {
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < chars_.size();) {
      std::size_t end = word(at, true);
      if (!end) end = word(at, false);
      if (!end) end = std::min(run(at, kNumber), at + 3) > at ? std::min(run(at, kNumber), at + 3) : 0;
      if (!end) end = punctuation(at);
      if (!end) end = spaces(at);
      ends.push_back(offsets_[at = end]);
    }
    return ends;
  }

 private:
  // Behind the longest run of these classes at `at`.
  std::size_t run(std::size_t at, unsigned kinds) const {
    while (at < chars_.size() && (kinds_[at] & kinds)) ++at;
    return at;
  }

  // [^\r\n\p{L}\p{N}]?U*L+ where the lower-case part must be there, else U+L*; then the contraction.  0: no match.
  std::size_t word(std::size_t at, bool needs_lower) const {
    constexpr unsigned kNoPrefix = kUpper | kLower | kBoth | kNumber | kNewline;
    for (std::size_t prefix = kinds_[at] & kNoPrefix ? 0 : 1;; --prefix) {
      const std::size_t begin = at + prefix, longest = run(begin, kUpper | kBoth | kMark);
      for (std::size_t upper = longest + 1; upper-- > begin + !needs_lower;) {
        const std::size_t end = run(upper, kLower | kBoth | kMark);
        if (end > upper || !needs_lower) return contraction(end);
      }
      if (prefix == 0) return 0;
    }
  }

  std::size_t contraction(std::size_t at) const {
    for (const std::u32string_view text : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"}) {
      if (at + text.size() > chars_.size()) continue;
      bool equal = true;
      for (std::size_t i = 0; i < text.size(); ++i) {
        char32_t c = chars_[at + i];
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        if (c == 0x17F) c = 's';
        equal = equal && c == text[i];
      }
      if (equal) return at + text.size();
    }
    return at;
  }

  //  ?[^\s\p{L}\p{N}]+[\r\n/]*
  std::size_t punctuation(std::size_t at) const {
    for (std::size_t space = chars_[at] == ' ' ? 1 : 0;; --space) {
      std::size_t end = run(at + space, kOther | kMark);
      if (end > at + space) {
        while (end < chars_.size() && (chars_[end] == '\r' || chars_[end] == '\n' || chars_[end] == '/')) ++end;
        return end;
      }
      if (space == 0) return 0;
    }
  }

  // \s*[\r\n]+|\s+(?!\S)|\s+
  std::size_t spaces(std::size_t at) const {
    const std::size_t longest = run(at, kSpace | kNewline);
    for (std::size_t end = longest + 1; end-- > at;)
      if (run(end, kNewline) > end) return run(end, kNewline);
    for (std::size_t end = longest; end > at; --end)
      if (end == chars_.size() || (kinds_[end] & (kSpace | kNewline))) return end;
    return longest;
  }

  std::vector<char32_t> chars_;
  std::vector<unsigned> kinds_;
  std::vector<std::size_t> offsets_;
};

inline const std::unordered_map<std::string_view, std::uint32_t>& ranks() {
  static const auto* const ranks = [] {
    auto* map = new std::unordered_map<std::string_view, std::uint32_t>;
    for (std::uint32_t id = 0; id < kVocabulary; ++id) map->emplace(*token_bytes(id), id);
    return map;
  }();
  return *ranks;
}

inline std::uint32_t rank(std::string_view bytes) {
  const auto found = ranks().find(bytes);
  return found == ranks().end() ? kNone : found->second;
}

// Until no pair is a token, the leftmost of those with the lowest rank becomes one.
inline void merge(std::string_view piece, std::vector<std::uint32_t>& ids) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; i < piece.size(); ++i) parts.push_back(piece.substr(i, 1));
  std::vector<std::uint32_t> pairs(piece.size(), kNone);
  const auto look = [&](std::size_t i) {
    pairs[i] = i + 1 < parts.size() ? rank({parts[i].data(), parts[i].size() + parts[i + 1].size()}) : kNone;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) look(i);
  while (true) {
    const auto lowest = std::min_element(pairs.begin(), pairs.end());
    if (lowest == pairs.end() || *lowest == kNone) break;
    const auto i = static_cast<std::size_t>(lowest - pairs.begin());
    parts[i] = {parts[i].data(), parts[i].size() + parts[i + 1].size()};
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    look(i);
    if (i > 0) look(i - 1);
  }
  for (const std::string_view part : parts) ids.push_back(rank(part));
}

// Requires: valid UTF-8.
inline std::vector<std::uint32_t> encode(std::string_view text) {
  std::vector<std::uint32_t> ids;
  std::size_t begin = 0;
  for (const std::size_t end : Pattern(text).ends()) {
    merge(text.substr(begin, end - begin), ids);
    begin = end;
  }
  return ids;
}

}  // namespace magi::o200k::reference
