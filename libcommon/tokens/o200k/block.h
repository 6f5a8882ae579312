// Where pieces begin in 64 bytes, all at once: the scanner's rules for ASCII as arithmetic on sets of positions.
#pragma once

#include "libcommon/tokens/o200k/classify.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

constexpr unsigned kBlockBytes = 64;

constexpr std::uint64_t below(unsigned position) {
  return position >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << position) - 1;
}

// 0, or the bytes of the contraction that the quote at `p` begins.  Requires: a letter behind the quote.
inline unsigned contraction_size(const std::uint8_t* p) {
  const unsigned first = p[1] | 0x20, second = p[2] | 0x20;
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  return ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l') ? 3 : 0;
}

// A quote behind a letter joins the word before it instead of beginning the next one.
inline std::uint64_t join_contractions(const std::uint8_t* p, std::uint64_t quotes, std::uint64_t starts) {
  unsigned closed = 0;  // end of the last contraction: a word that has one takes no second
  for (; quotes; quotes &= quotes - 1) {
    const unsigned at = static_cast<unsigned>(__builtin_ctzll(quotes));
    const unsigned size = contraction_size(p + at);
    if (size == 0 || at == closed) continue;
    closed = at + size;
    starts = (starts & ~(below(size) << at)) | (closed < 64 ? std::uint64_t{1} << closed : 0);
  }
  return starts;
}

// The first positions of digit groups: every third of each run.
inline std::uint64_t digit_starts(std::uint64_t digit) {
  std::uint64_t starts = digit & ~(digit << 1), group = starts;
  const std::uint64_t fourth = digit & digit << 1 & digit << 2 & digit << 3;
  while ((group = group << 3 & fourth)) starts |= group;
  return starts;
}

// Positions in the block at `p` where a piece begins, as far as the block shows it, without position 0, where one does
// by premise.  Only the first `known` bytes are text, but 64 are read.
inline std::uint64_t piece_starts(const std::uint8_t* p, unsigned known) {
  const Classes k = classify(p);
  if (k.high && static_cast<unsigned>(__builtin_ctzll(k.high)) < known)
    known = static_cast<unsigned>(__builtin_ctzll(k.high));
  const std::uint64_t blank = k.space | k.tab, white = k.newline | blank,
                      other = ~(k.letter | k.digit | white | k.high);

  // Newlines right behind punctuation belong to it: the carry clears their run.
  const std::uint64_t carried = k.newline + (k.newline & other << 1), newline = k.newline & carried;
  // A slash behind those does too, and more of both; rare enough to be left to the scanner.
  std::uint64_t stop = carried & ~k.newline & k.slash;

  // White space up to its last newline is a piece.  Where a newline follows behind blanks, which is the last shows only
  // from there; left to the scanner, too.
  const std::uint64_t after_newline = newline << 1 & blank;
  if ((blank + after_newline) & ~blank & newline) stop |= after_newline & (0 - after_newline);
  const std::uint64_t free_white = newline | blank, last_blank = blank & ~(white >> 1);
  std::uint64_t starts = (free_white & ~(free_white << 1)) | after_newline | last_blank;

  // Of punctuation, the first; or the space before it.  One mark alone before a letter is that word's.
  const std::uint64_t first_other = other & ~(other << 1) & ~(k.space << 1);
  const std::uint64_t prefix = blank | (first_other & ~(other >> 1));
  starts |= first_other | (k.letter & ~(k.letter << 1) & ~(prefix << 1)) | (k.upper & (k.letter & ~k.upper) << 1);
  starts |= digit_starts(k.digit);

  // What lies near the end may depend on what follows; so does the inside of white space that reaches the end.
  const std::uint64_t solid = ~white & below(known);
  if (known < 4 || solid == 0) return 0;
  std::uint64_t keep = below(known - 3) & below(65 - static_cast<unsigned>(__builtin_clzll(solid)));
  if (stop) keep &= (stop & (0 - stop)) - 1;
  if (const std::uint64_t quotes = k.quote & k.letter << 1 & k.letter >> 1 & keep)
    starts = join_contractions(p, quotes, starts);
  return starts & keep & ~std::uint64_t{1};
}

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
