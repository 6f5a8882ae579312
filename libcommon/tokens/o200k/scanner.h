// Where the pieces of a text end, one character at a time: the pattern of o200k_base without a regular expression.
// A piece depends on nothing that stands before it, and every text is scanned in time linear in its length.
#pragma once

#include "libcommon/tokens/o200k/tables.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

struct Char {
  unsigned kind;  // a CharClass
  unsigned size;
};

// Requires: valid UTF-8 from here on.
inline Char char_at(const Tables& tables, const std::uint8_t* p) {
  const unsigned lead = p[0];
  if (lead < 0x80) return {tables.ascii_class(p[0]), 1};
  if (lead < 0xE0) return {tables.char_class((lead & 0x1F) << 6 | (p[1] & 0x3F)), 2};
  if (lead < 0xF0) return {tables.char_class((lead & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3F)), 3};
  return {tables.char_class((lead & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3F)), 4};
}

class Scanner {
 public:
  Scanner(const Tables& tables, const std::uint8_t* end) : tables_(tables), end_(end) {}

  // The end of the piece that begins at `p`.  Requires: p < end.
  const std::uint8_t* piece_end(const std::uint8_t* p) const {
    const Char c = char_at(tables_, p);
    if (c.kind & kWord) return word_end(p);
    const std::uint8_t* const second = p + c.size;
    const unsigned second_kind = second < end_ ? char_at(tables_, second).kind : 0;
    if (!(c.kind & (kNumber | kNewline)) && (second_kind & kWord)) return word_end(second);
    if (c.kind & kNumber) return number_end(p);
    if (c.kind & kOther) return punctuation_end(p);
    if (*p == ' ' && (second_kind & kOther)) return punctuation_end(second);
    return space_end(p);
  }

 private:
  static constexpr unsigned kWord = kUpper | kLower | kBoth | kMark;

  const std::uint8_t* skip(const std::uint8_t* p, unsigned kinds) const {
    while (p < end_) {
      const Char c = char_at(tables_, p);
      if (!(c.kind & kinds)) break;
      p += c.size;
    }
    return p;
  }

  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+, else the same with + and *.  Without a lower-case
  // letter behind the run, the first form gives back what follows the run's last character that is in both sets.
  const std::uint8_t* word_end(const std::uint8_t* p) const {
    const std::uint8_t* after_both = nullptr;
    while (p < end_) {
      const Char c = char_at(tables_, p);
      if (c.kind & kLower) return contraction_end(skip(p + c.size, kLower | kBoth | kMark));
      if (!(c.kind & kWord)) break;
      p += c.size;
      if (c.kind & (kBoth | kMark)) after_both = p;
    }
    return contraction_end(after_both ? after_both : p);
  }

  // (?i:'s|'t|'re|'ve|'m|'ll|'d)?  Case folding makes U+017F an s.
  const std::uint8_t* contraction_end(const std::uint8_t* p) const {
    if (end_ - p < 2 || *p != '\'') return p;
    const unsigned first = p[1] | 0x20, second = end_ - p > 2 ? p[2] : 0;
    if (p[1] < 0x80 && (first == 's' || first == 't' || first == 'm' || first == 'd')) return p + 2;
    const unsigned folded = second | 0x20;
    if (p[1] < 0x80 && second < 0x80 &&
        ((first == 'r' || first == 'v') ? folded == 'e' : first == 'l' && folded == 'l'))
      return p + 3;
    return p[1] == 0xC5 && second == 0xBF ? p + 3 : p;
  }

  // \p{N}{1,3}
  const std::uint8_t* number_end(const std::uint8_t* p) const {
    for (int digits = 0; digits < 3 && p < end_; ++digits) {
      const Char c = char_at(tables_, p);
      if (!(c.kind & kNumber)) break;
      p += c.size;
    }
    return p;
  }

  // [^\s\p{L}\p{N}]+[\r\n/]*
  const std::uint8_t* punctuation_end(const std::uint8_t* p) const {
    p = skip(p, kOther | kMark);
    while (p < end_ && (*p == '\r' || *p == '\n' || *p == '/')) ++p;
    return p;
  }

  // \s*[\r\n]+|\s+(?!\S)|\s+
  const std::uint8_t* space_end(const std::uint8_t* p) const {
    const std::uint8_t *after_newline = nullptr, *last = p;
    const std::uint8_t* const begin = p;
    while (p < end_) {
      const Char c = char_at(tables_, p);
      if (!(c.kind & (kSpace | kNewline))) break;
      last = p;
      p += c.size;
      if (c.kind & kNewline) after_newline = p;
    }
    if (after_newline) return after_newline;
    return p < end_ && last > begin ? last : p;
  }

  const Tables& tables_;
  const std::uint8_t* end_;
};

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
