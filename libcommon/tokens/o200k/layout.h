// The tables of o200k_base as they lie in the executable: written by build/make_tables, read in place.  Offsets count
// from the header, nothing is a pointer, everything is little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace magi::o200k {

inline constexpr std::uint32_t kMagic = 0x6B303032;  // "200k"
inline constexpr std::uint32_t kVocabulary = 199'998;
inline constexpr std::size_t kMaxTokenBytes = 128;
// Tokens up to this size are found by one look into a perfect hash table; the others (2 %) are a table of their own.
inline constexpr std::size_t kShortBytes = 16;
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// Header::offsets.
enum Section : std::uint32_t {
  kPilots,        // u16 a bucket of the perfect hash
  kShortTags,     // u8 a slot of it: short_tag() of its token's hash
  kShortEntries,  // ShortEntry a slot
  kLongSlots,     // LongSlot, linear probing
  kAsciiPairs,    // u32 two bytes below 128, first * 128 + second: their token or kNone
  kByteIds,       // u32 a byte: the token that it is
  kClassIndex,    // u8 a block of 128 code points: its place in kClassBlocks
  kClassBlocks,   // u8 a code point, a bit of CharClass
  kCharIndex,     // u16 a block of 64 code points below 0x10000: its place in kCharIds
  kCharIds,       // u32 a code point: see CharStart; kNone where it is not one
  kCharsAfter,    // u64 a byte: the sets, by number, of those before which it stands that hold it
  kCharsBefore,   // u64 a byte: the same for what stands behind
  kTokenBytes,    // all tokens in the order of their ranks
  kTokenLengths,  // u8 a token
  kTokenOffsets,  // u32 for each 64th token: where it starts in kTokenBytes
  kSections,
};

struct Header {
  std::uint32_t magic;
  std::uint32_t short_slots;  // of the perfect hash
  std::uint64_t seed;         // of its hash
  std::uint32_t long_mask;    // slots of the long table, less one
  std::uint32_t size_bytes;   // of everything
  std::uint32_t offsets[kSections];
};

// 20 bytes: three or four fit a cache line.
struct ShortEntry {
  std::uint32_t bytes[4];     // the token, zeros behind
  std::uint32_t id_and_size;  // size << 24 | id; zero in an empty slot
};
static_assert(sizeof(ShortEntry) == 20);

struct LongSlot {
  std::uint32_t hash, id, offset, size;  // size 0: empty
};

// Bits, so that a run over several classes is one test.
enum CharClass : std::uint8_t {
  kUpper = 1,    // Lu Lt
  kLower = 2,    // Ll
  kBoth = 4,     // Lm Lo
  kMark = 8,     // M
  kNumber = 16,  // N
  kNewline = 32,
  kSpace = 64,  // other White_Space
  kOther = 128,
};

// A character that merging makes a token of before it makes anything that reaches over the character's border, unless
// the byte before it, or that behind, is in a set.  In kCharIds: the token, then the numbers of both sets.
inline constexpr std::uint32_t kCharIdBits = 18, kCharSetBits = 6, kCharSets = 1 << kCharSetBits;

inline constexpr std::size_t kClassBlockSize = 128, kCharBlockSize = 64;
inline constexpr std::size_t kBuckets = std::size_t{1} << 15;

// The 128-bit product folded: three cycles, and every input bit reaches every output bit.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// `low`, `high`: up to 16 bytes with zeros behind, little-endian.
inline std::uint64_t short_hash(std::uint64_t low, std::uint64_t high, std::uint64_t size, std::uint64_t seed) {
  return fold(low ^ seed, high ^ (size * 0x9E3779B97F4A7C15 + 0xD6E8FEB86659FD93));
}
inline std::uint32_t short_bucket(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 49); }
// Most keys that are no token show it by another tag: 200 KB that stay in the cache, where the entries do not.
inline std::uint8_t short_tag(std::uint64_t hash) { return static_cast<std::uint8_t>(hash); }
// The shift parts keys of a bucket whose low halves are near each other.
inline std::uint32_t short_slot(std::uint64_t hash, std::uint32_t pilot, std::uint32_t slots) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(hash >> (pilot & 15)) ^ (pilot * 0x9E3779B1u);
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(mixed) * slots) >> 32);
}

}  // namespace magi::o200k
