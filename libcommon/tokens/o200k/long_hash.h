// The hash of pieces of 17 bytes and more, in the tables and in the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libcommon/tokens/o200k/isa.h"
#include "libcommon/tokens/o200k/layout.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

inline std::uint64_t load64(const std::uint8_t* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Requires: size > 16.  Reads the bytes of the piece only.
inline std::uint64_t long_hash(const std::uint8_t* p, std::size_t size) {
  std::uint64_t hash = size * 0x9E3779B97F4A7C15;
  const std::uint8_t* const last = p + size - 16;
  for (; p < last; p += 16) hash = fold(load64(p) ^ hash, load64(p + 8) ^ 0xD6E8FEB86659FD93);
  return fold(load64(last) ^ hash, load64(last + 8) ^ 0xA0761D6478BD642F);
}

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
