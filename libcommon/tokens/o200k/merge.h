// Byte pair merging of one piece that is no token.
#pragma once

#include "libcommon/tokens/o200k/tables.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

// Merges up to kBytes bytes at once.  Parts keep the places that they begin with; a part that was merged into the one
// before it is passed over.  The rank of each pair is kept with the place of its first part, so that one minimum is
// the next merge: of equal ranks the leftmost, as the rule is.  Minima of 16 places are kept too.
class Merger {
 public:
  static constexpr std::size_t kBytes = 1024;

  explicit Merger(const Tables& tables) : tables_(tables) {}

  // Returns how many parts there are.  Requires: 1 <= size <= kBytes.  The bytes are copied.
  std::size_t merge(const std::uint8_t* p, std::size_t size) {
    std::memcpy(bytes_, p, size);
    std::memset(bytes_ + size, 0, kShortBytes);
    split(size);
    if (parts_ <= kFew) return merge_few();
    const std::size_t groups = (parts_ + kGroup - 1) / kGroup;
    for (std::size_t i = parts_ - 1; i < groups * kGroup; ++i) pairs_[i] = kNone;
    for (std::size_t i = 0; i + 1 < parts_; ++i) pairs_[i] = first_pair(i);
    for (std::size_t g = 0; g < groups; ++g) refresh(g);
    std::size_t left = parts_;
    while (merge_lowest(groups)) --left;
    return left;
  }

  // Calls `take(begin, end, id)` for each part, offsets in bytes.
  template <class Take>
  void for_each(Take take) const {
    for (std::size_t i = 0; i < parts_; i = next_[i]) take(begin_[i], begin_[next_[i]], ids_[i]);
  }

 private:
  static constexpr std::size_t kGroup = 16, kFew = 16, kPlaceBits = 10;
  static_assert(kBytes == std::size_t{1} << kPlaceBits);

  // Characters that merge before anything else are parts from the start, other bytes are parts of their own.
  void split(std::size_t size) {
    parts_ = 0;
    for (std::size_t at = 0; at < size;) {
      const std::uint8_t* const p = bytes_ + at;
      std::size_t taken = *p < 0xC0 || *p >= 0xF0 ? 1 : *p < 0xE0 ? 2 : 3;
      std::uint32_t id = kNone;
      if (taken > 1 && at + taken <= size) {
        const char32_t code =
            taken == 2 ? (*p & 0x1Fu) << 6 | (p[1] & 0x3Fu) : (*p & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        id = tables_.char_id(code, p, p + taken, bytes_, bytes_ + size);
      }
      if (id == kNone) {
        id = tables_.byte_id(*p);
        taken = 1;
      }
      ids_[parts_] = id;
      begin_[parts_] = static_cast<std::uint16_t>(at);
      next_[parts_] = static_cast<std::uint16_t>(parts_ + 1);
      previous_[parts_] = static_cast<std::uint16_t>(parts_ - 1);
      ++parts_;
      at += taken;
    }
    begin_[parts_] = static_cast<std::uint16_t>(size);
  }

  // The pair at `i` before any merge.
  std::uint32_t first_pair(std::size_t i) const {
    const std::uint8_t* const p = bytes_ + begin_[i];
    if (begin_[i + 2] - begin_[i] != 2 || ((p[0] | p[1]) & 0x80)) return pair(i, i + 2);
    const std::uint32_t rank = tables_.ascii_rank(p);
    return rank == kNone ? kNone : rank << kPlaceBits | static_cast<std::uint32_t>(i);
  }

  // The pair of the part at `first`, up to the part at `end`, as it is compared.
  std::uint32_t pair(std::size_t first, std::size_t end) const {
    const std::uint32_t rank = tables_.rank(bytes_ + begin_[first], begin_[end] - begin_[first]);
    return rank == kNone ? kNone : rank << kPlaceBits | static_cast<std::uint32_t>(first);
  }

  // Of few parts, the lowest pair is sought one by one: a vector would wait for what was written last.
  std::size_t merge_few() {
    for (std::size_t i = 0; i + 1 < parts_; ++i) pairs_[i] = first_pair(i);
    for (std::size_t left = parts_;; --left) {
      std::uint32_t lowest = kNone;
      for (std::size_t i = 0; i + 1 < parts_; ++i) lowest = pairs_[i] < lowest ? pairs_[i] : lowest;
      if (lowest == kNone) return left;
      join(lowest);
    }
  }

  void refresh(std::size_t group) {
    const std::uint32_t* const pairs = pairs_ + group * kGroup;
    std::uint32_t lowest = kNone;
    for (std::size_t i = 0; i < kGroup; ++i) lowest = pairs[i] < lowest ? pairs[i] : lowest;
    lowest_[group] = lowest;
  }

  bool merge_lowest(std::size_t groups) {
    std::uint32_t lowest = lowest_[0];
    for (std::size_t g = 1; g < groups; ++g) lowest = lowest_[g] < lowest ? lowest_[g] : lowest;
    if (lowest == kNone) return false;
    const std::size_t first = lowest & (kBytes - 1), second = next_[first];
    join(lowest);
    refresh(first / kGroup);
    if (second / kGroup != first / kGroup) refresh(second / kGroup);
    if (first != 0 && previous_[first] / kGroup != first / kGroup) refresh(previous_[first] / kGroup);
    return true;
  }

  // Merges that pair.
  void join(std::uint32_t lowest) {
    const std::size_t first = lowest & (kBytes - 1), second = next_[first], third = next_[second];
    ids_[first] = lowest >> kPlaceBits;
    next_[first] = static_cast<std::uint16_t>(third);
    previous_[third] = static_cast<std::uint16_t>(first);
    pairs_[second] = kNone;
    pairs_[first] = third < parts_ ? pair(first, next_[third]) : kNone;
    if (first != 0) pairs_[previous_[first]] = pair(previous_[first], third);
  }

  const Tables& tables_;
  std::size_t parts_ = 0;
  alignas(64) std::uint32_t pairs_[kBytes + kGroup];
  alignas(64) std::uint32_t lowest_[kBytes / kGroup];
  std::uint32_t ids_[kBytes];
  std::uint16_t begin_[kBytes + 1], next_[kBytes + 1], previous_[kBytes + 1];
  std::uint8_t bytes_[kBytes + kShortBytes];
};

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
