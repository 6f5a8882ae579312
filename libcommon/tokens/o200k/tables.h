// Views of the tables that lie in the executable.  Nothing is done at start: the pages are read when they are used.
#pragma once

#include <cstring>

#include "libcommon/tokens/o200k/layout.h"
#include "libcommon/tokens/o200k/long_hash.h"

// Defined by the assembler in tables.cc.
extern "C" const std::uint8_t magi_o200k_tables[] __attribute__((visibility("hidden")));

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

// A word with all bits set in its first bytes: loading from kByteMask + 16 - n gives the mask of n bytes.
alignas(32) inline constexpr std::uint8_t kByteMask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                           255, 255, 255, 255, 255, 255, 255, 255};

// Up to 16 bytes with zeros behind, and their hash.
struct ShortKey {
  std::uint64_t low, high, size, hash;

  // Requires: size <= 16, and 16 readable bytes.
  ShortKey(const std::uint8_t* p, std::size_t bytes, std::uint64_t seed)
      : low(load64(p) & load64(kByteMask + 16 - bytes)),
        high(load64(p + 8) & load64(kByteMask + 24 - bytes)),
        size(bytes),
        hash(short_hash(low, high, bytes, seed)) {}
};

class Tables {
 public:
  Tables() : Tables(reinterpret_cast<const Header&>(*magi_o200k_tables)) {}

  std::uint64_t seed() const { return seed_; }

  // The token that is exactly the key; kNone where there is none.
  std::uint32_t find(const ShortKey& key) const {
    const std::uint32_t pilot = pilots_[short_bucket(key.hash)];
    const std::uint32_t slot = short_slot(key.hash, pilot, short_slots_);
    if (short_tags_[slot] != short_tag(key.hash)) return kNone;
    const ShortEntry& entry = short_entries_[slot];
    std::uint64_t words[2];
    std::memcpy(words, &entry, sizeof words);
    const std::uint64_t difference =
        (words[0] ^ key.low) | (words[1] ^ key.high) | ((entry.id_and_size >> 24) ^ key.size);
    return difference == 0 ? entry.id_and_size & 0xFFFFFF : kNone;
  }

  // The same for 17 bytes and more.
  std::uint32_t find_long(const std::uint8_t* p, std::size_t size) const {
    if (size > kMaxTokenBytes) return kNone;
    const auto hash = static_cast<std::uint32_t>(long_hash(p, size));
    for (std::uint32_t slot = hash & long_mask_;; slot = (slot + 1) & long_mask_) {
      const LongSlot& found = long_slots_[slot];
      if (found.size == 0) return kNone;
      if (found.hash == hash && found.size == size && std::memcmp(token_bytes_ + found.offset, p, size) == 0)
        return found.id;
    }
  }

  // The rank that merging to these bytes has: that of the token they are.  Requires: 16 readable bytes.
  std::uint32_t rank(const std::uint8_t* p, std::size_t size) const {
    return size <= kShortBytes ? find(ShortKey(p, size, seed_)) : find_long(p, size);
  }

  // The same for two bytes below 128.
  std::uint32_t ascii_rank(const std::uint8_t* p) const { return ascii_pairs_[p[0] * 128 + p[1]]; }

  std::uint32_t byte_id(std::uint8_t byte) const { return byte_ids_[byte]; }

  CharClass char_class(char32_t code) const {
    return static_cast<CharClass>(
        class_blocks_[class_index_[code / kClassBlockSize] * kClassBlockSize + code % kClassBlockSize]);
  }
  CharClass ascii_class(std::uint8_t byte) const { return char_class(byte); }

  // The token of a character below 0x10000, `p` up to `next`, that is one before anything across its border is; kNone
  // of any other.  The bytes around it are looked at from `begin` up to `end`.
  std::uint32_t char_id(char32_t code, const std::uint8_t* p, const std::uint8_t* next, const std::uint8_t* begin,
                        const std::uint8_t* end) const {
    const std::uint32_t found = char_ids_[char_index_[code / kCharBlockSize] * kCharBlockSize + code % kCharBlockSize];
    if (found == kNone) return kNone;
    constexpr std::uint32_t kSetMask = kCharSets - 1;
    if (p > begin && chars_after_[p[-1]] >> (found >> kCharIdBits & kSetMask) & 1) return kNone;
    if (next < end && chars_before_[*next] >> (found >> (kCharIdBits + kCharSetBits) & kSetMask) & 1) return kNone;
    return found & ((1u << kCharIdBits) - 1);
  }

  // Requires: id < kVocabulary.
  std::uint32_t token_size(std::uint32_t id) const { return token_lengths_[id]; }
  const std::uint8_t* token(std::uint32_t id) const {
    const std::uint8_t* p = token_bytes_ + token_offsets_[id / 64];
    for (std::uint32_t before = id / 64 * 64; before < id; ++before) p += token_lengths_[before];
    return p;
  }

 private:
  explicit Tables(const Header& header)
      : seed_(header.seed), short_slots_(header.short_slots), long_mask_(header.long_mask) {
    set(header, kPilots, pilots_);
    set(header, kShortTags, short_tags_);
    set(header, kShortEntries, short_entries_);
    set(header, kLongSlots, long_slots_);
    set(header, kAsciiPairs, ascii_pairs_);
    set(header, kByteIds, byte_ids_);
    set(header, kClassIndex, class_index_);
    set(header, kClassBlocks, class_blocks_);
    set(header, kCharIndex, char_index_);
    set(header, kCharIds, char_ids_);
    set(header, kCharsAfter, chars_after_);
    set(header, kCharsBefore, chars_before_);
    set(header, kTokenBytes, token_bytes_);
    set(header, kTokenLengths, token_lengths_);
    set(header, kTokenOffsets, token_offsets_);
  }

  template <class T>
  static void set(const Header& header, Section section, const T*& table) {
    table = reinterpret_cast<const T*>(reinterpret_cast<const std::uint8_t*>(&header) + header.offsets[section]);
  }

  std::uint64_t seed_;
  std::uint32_t short_slots_, long_mask_;
  const std::uint16_t* pilots_;
  const std::uint8_t* short_tags_;
  const ShortEntry* short_entries_;
  const LongSlot* long_slots_;
  const std::uint32_t* ascii_pairs_;
  const std::uint32_t* byte_ids_;
  const std::uint8_t* class_index_;
  const std::uint8_t* class_blocks_;
  const std::uint16_t* char_index_;
  const std::uint32_t* char_ids_;
  const std::uint64_t* chars_after_;
  const std::uint64_t* chars_before_;
  const std::uint8_t* token_bytes_;
  const std::uint8_t* token_lengths_;
  const std::uint32_t* token_offsets_;
};

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
