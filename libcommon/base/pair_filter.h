// Where in a text one of many strings may stand.  Of each string three bytes that are rare in texts are its anchor.  An
// anchor shows one of its two pairs of bytes at an even offset, so that every other offset is looked at; where a pair
// is known, the three bytes are looked at, and nearly all of the text is passed over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace magi {

// Offset of the anchor in a string.  Requires: three bytes at least.
constexpr std::size_t anchor_of(std::string_view text) {
  const auto frequency = [](char c) -> unsigned {
    constexpr std::string_view kLetters = "zqjxkvbywgpfmucdlhrsnioate";  // of English, the rarest first
    if (c >= 'a' && c <= 'z') return static_cast<unsigned>(kLetters.find(c)) + 8;
    if (c == ' ') return 40;
    if (c >= 'A' && c <= 'Z') return 7;
    return c == '_' || c == '/' || c == '.' || c == '-' ? 12 : 6;
  };
  constexpr std::size_t kLookAhead = 24;
  std::size_t best = 0;
  unsigned least = ~0u;
  for (std::size_t at = 0; at + 3 <= text.size() && at < kLookAhead; ++at) {
    const unsigned cost = frequency(text[at + 1]) * (frequency(text[at]) + frequency(text[at + 2]));
    if (cost < least) least = cost, best = at;
  }
  return best;
}

class PairFilter {
 public:
  // Returns anchor_of(text).
  constexpr std::size_t add(std::string_view text) {
    const std::size_t at = anchor_of(text);
    set_pair(text[at], text[at + 1]);
    set_pair(text[at + 1], text[at + 2]);
    const std::uint32_t slot = slot_of(text[at], text[at + 1], text[at + 2]);
    anchors_[slot >> 5] |= std::uint32_t{1} << (slot & 31);
    return at;
  }

  // The first offset at or behind `at`, in steps of two, where a pair is known; none: one that leaves less than two
  // bytes.
  std::size_t skip(std::string_view text, std::size_t at) const {
    const char* const data = text.data();
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, data + at, sizeof bytes);
      if (has_pair(bytes) | has_pair(bytes >> 16) | has_pair(bytes >> 32) | has_pair(bytes >> 48)) break;
    }
    for (; at + 2 <= text.size(); at += 2) {
      std::uint16_t pair;
      std::memcpy(&pair, data + at, sizeof pair);
      if (has_pair(pair)) break;
    }
    return at;
  }

  // Whether an anchor may stand at `at`.
  bool has_anchor(std::string_view text, std::size_t at) const {
    if (at + 3 > text.size()) return false;
    const std::uint32_t slot = slot_of(text[at], text[at + 1], text[at + 2]);
    return (anchors_[slot >> 5] >> (slot & 31)) & 1u;
  }

 private:
  constexpr void set_pair(char first, char second) {
    // As memcpy gives them on this machine.
    const auto low = static_cast<unsigned char>(kLittleEndian ? first : second);
    const auto high = static_cast<unsigned char>(kLittleEndian ? second : first);
    const std::size_t pair = low | static_cast<std::size_t>(high) << 8;
    pairs_[pair >> 5] |= std::uint32_t{1} << (pair & 31);
  }
  unsigned has_pair(std::uint64_t bytes) const {
    const std::size_t pair = bytes & 0xFFFF;
    return (pairs_[pair >> 5] >> (pair & 31)) & 1u;
  }
  static constexpr std::uint32_t slot_of(char first, char second, char third) {
    const std::uint32_t three = static_cast<unsigned char>(first) | static_cast<unsigned char>(second) << 8u |
                                static_cast<std::uint32_t>(static_cast<unsigned char>(third)) << 16u;
    return (three * 0x9E3779B1u) >> 16;
  }
  static constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

  std::array<std::uint32_t, 2048> pairs_{}, anchors_{};
};

}  // namespace magi
