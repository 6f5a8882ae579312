// Classes of 64 bytes at once, with the vectors that the including file is compiled for.
#pragma once

#include <cstdint>

#include "libcommon/tokens/o200k/isa.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

// A bit a byte, the first byte the lowest bit.
struct Classes {
  std::uint64_t letter, upper, digit, newline, space, tab, slash, quote;
  std::uint64_t high;  // not ASCII
};

#if defined(__AVX2__)

struct Vector {
  static constexpr int kBytes = 32;
  using Bytes = __m256i;
  static Bytes load(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static Bytes equal(Bytes a, char value) { return _mm256_cmpeq_epi8(a, _mm256_set1_epi8(value)); }
  // Bytes from `first` on, `count` values.
  static Bytes in_range(Bytes a, char first, int count) {
    const Bytes moved = _mm256_add_epi8(a, _mm256_set1_epi8(static_cast<char>(-128 - first)));
    return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(-128 + count)), moved);
  }
  static Bytes either(Bytes a, Bytes b) { return _mm256_or_si256(a, b); }
  static std::uint64_t bits(Bytes a) { return static_cast<std::uint32_t>(_mm256_movemask_epi8(a)); }
};

#elif defined(__SSE2__)

struct Vector {
  static constexpr int kBytes = 16;
  using Bytes = __m128i;
  static Bytes load(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static Bytes equal(Bytes a, char value) { return _mm_cmpeq_epi8(a, _mm_set1_epi8(value)); }
  // Bytes from `first` on, `count` values.
  static Bytes in_range(Bytes a, char first, int count) {
    const Bytes moved = _mm_add_epi8(a, _mm_set1_epi8(static_cast<char>(-128 - first)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(-128 + count)));
  }
  static Bytes either(Bytes a, Bytes b) { return _mm_or_si128(a, b); }
  static std::uint64_t bits(Bytes a) { return static_cast<std::uint32_t>(_mm_movemask_epi8(a)); }
};

#elif defined(__aarch64__)

struct Vector {
  static constexpr int kBytes = 16;
  using Bytes = uint8x16_t;
  static Bytes load(const std::uint8_t* p) { return vld1q_u8(p); }
  static Bytes equal(Bytes a, char value) { return vceqq_u8(a, vdupq_n_u8(static_cast<std::uint8_t>(value))); }
  static Bytes in_range(Bytes a, char first, int count) {
    return vcltq_u8(vsubq_u8(a, vdupq_n_u8(static_cast<std::uint8_t>(first))),
                    vdupq_n_u8(static_cast<std::uint8_t>(count)));
  }
  static Bytes either(Bytes a, Bytes b) { return vorrq_u8(a, b); }
  static std::uint64_t bits(Bytes a) {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weighted = vandq_u8(vtstq_u8(a, vdupq_n_u8(0x80)), weights);
    return vaddv_u8(vget_low_u8(weighted)) | static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(weighted))) << 8;
  }
};

#else

// Eight bytes in a word; each answer is the high bit of its byte.
struct Vector {
  static constexpr int kBytes = 8;
  using Bytes = std::uint64_t;
  static constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = kOnes << 7;
  static Bytes load(const std::uint8_t* p) {
    std::uint64_t word = 0;
    for (int i = 0; i < kBytes; ++i) word |= static_cast<std::uint64_t>(p[i]) << (8 * i);
    return word;
  }
  static Bytes equal(Bytes a, char value) { return in_range(a, value, 1); }
  static Bytes in_range(Bytes a, char first, int count) {
    const std::uint64_t low = a & ~kHighs;
    const std::uint64_t from_first = low + kOnes * static_cast<std::uint64_t>(128 - first);
    const std::uint64_t past = low + kOnes * static_cast<std::uint64_t>(128 - first - count);
    return from_first & ~past & ~a & kHighs;
  }
  static Bytes either(Bytes a, Bytes b) { return a | b; }
  static std::uint64_t bits(Bytes a) { return ((a & kHighs) >> 7) * 0x0102040810204080 >> 56; }
};

#endif

inline Classes classify(const std::uint8_t* p) {
  Classes k{};
  for (int at = 0; at < 64; at += Vector::kBytes) {
    const Vector::Bytes c = Vector::load(p + at);
    const Vector::Bytes upper = Vector::in_range(c, 'A', 26),
                        newline = Vector::either(Vector::equal(c, '\n'), Vector::equal(c, '\r'));
    k.high |= Vector::bits(c) << at;
    k.upper |= Vector::bits(upper) << at;
    k.letter |= Vector::bits(Vector::either(upper, Vector::in_range(c, 'a', 26))) << at;
    k.digit |= Vector::bits(Vector::in_range(c, '0', 10)) << at;
    k.newline |= Vector::bits(newline) << at;
    k.tab |= Vector::bits(Vector::in_range(c, '\t', 5)) << at;
    k.space |= Vector::bits(Vector::equal(c, ' ')) << at;
    k.slash |= Vector::bits(Vector::equal(c, '/')) << at;
    k.quote |= Vector::bits(Vector::equal(c, '\'')) << at;
  }
  k.tab &= ~k.newline;
  return k;
}

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
