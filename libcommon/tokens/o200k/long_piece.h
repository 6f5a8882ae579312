// Pieces of any length in bounded memory and linear time, by merging windows of them.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "libcommon/tokens/o200k/merge.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

struct Part {
  std::size_t begin, end;
  std::uint32_t id;
  bool operator==(const Part&) const = default;
};

// Tokens side by side are the merging of their bytes exactly when each two neighbours are that of theirs.  So where the
// merging of a window and that of the next, which overlaps it, have a token in common, the tokens of the first up to
// it and those of the second behind it belong together.  The overlap grows until there is one.
class LongPiece {
 public:
  // `window`: bytes merged at once, at the least.
  LongPiece(const Tables& tables, Merger& merger, const std::uint8_t* p, std::size_t size,
            std::size_t window = Merger::kBytes)
      : tables_(tables), merger_(merger), p_(p), size_(size), window_(window) {}

  // Calls `take(id)` for each token in order.  False: some were wrong, which shows late and never has been seen; then
  // the piece has to be merged at once, as one window.
  template <class Take>
  [[nodiscard]] bool encode(Take take) {
    std::size_t window = window_, overlap = kOverlap;
    merge_window(0, window, current_);
    while (current_.back().end < size_) {
      const std::size_t end = current_.back().end;
      std::size_t joint = current_.size() - 1;
      while (joint > 1 && end - current_[joint].begin < overlap) --joint;
      merge_window(current_[joint].begin, window, following_);
      const auto common = first_common(joint);
      if (!common) {
        overlap *= 2;
        if (overlap <= window / 2) continue;
        window *= 4;
        const Part first = current_[0];
        merge_window(first.begin, window, current_);
        if (current_[0] != first) return false;
        continue;
      }
      for (std::size_t i = 0; i < common->first; ++i) take(current_[i].id);
      following_.erase(following_.begin(), following_.begin() + static_cast<std::ptrdiff_t>(common->second));
      current_.swap(following_);
      window = window_;
      overlap = kOverlap;
    }
    for (const Part& part : current_) take(part.id);
    return true;
  }

 private:
  // More than most tokens; the token before is taken whole.
  static constexpr std::size_t kOverlap = 64;

  struct Common {
    std::size_t first, second;
  };

  // Of the tokens from `joint` on, the first that both windows have.
  std::optional<Common> first_common(std::size_t joint) const {
    for (std::size_t i = joint, j = 0; i < current_.size() && j < following_.size();) {
      if (current_[i] == following_[j]) return Common{i, j};
      current_[i].begin < following_[j].begin ||
              (current_[i].begin == following_[j].begin && current_[i].end < following_[j].end)
          ? ++i
          : ++j;
    }
    return std::nullopt;
  }

  void merge_window(std::size_t begin, std::size_t bytes, std::vector<Part>& parts) {
    const std::size_t size = std::min(bytes, size_ - begin);
    // Long runs of one character, or of few in turn, are many equal windows.
    const bool is_same =
        !merged_.empty() && merged_size_ == size && std::memcmp(p_ + merged_begin_, p_ + begin, size) == 0;
    if (!is_same) {
      merged_.clear();
      const auto add = [this](std::size_t from, std::size_t to, std::uint32_t id) {
        merged_.push_back({from, to, id});
      };
      if (size <= Merger::kBytes) {
        merger_.merge(p_ + begin, size);
        merger_.for_each(add);
      } else {
        merge_any(begin, size, add);
      }
      merged_size_ = size;
    }
    merged_begin_ = begin;
    parts = merged_;
    for (Part& part : parts) part = {part.begin + begin, part.end + begin, part.id};
  }

  struct Byte {
    std::uint8_t value;
  };
  // By place of a part's first byte; the end of its pair is 0 where it has none.
  struct Place {
    std::size_t end, before, pair_end;
  };
  struct Pair {
    std::uint32_t rank;
    std::size_t place;
    // The queue gives the greatest.
    bool operator<(const Pair& other) const { return rank != other.rank ? rank > other.rank : place > other.place; }
  };

  // Merging with a queue, for windows that have to be larger than a Merger's.
  template <class Take>
  void merge_any(std::size_t begin, std::size_t size, Take take) {
    std::vector<Byte> copy(size + kShortBytes);
    for (std::size_t i = 0; i < size; ++i) copy[i].value = p_[begin + i];
    const auto rank = [&](std::size_t from, std::size_t to) { return tables_.rank(&copy[from].value, to - from); };
    std::vector<Place> places(size + 1);
    std::priority_queue<Pair> queue;
    const auto look = [&](std::size_t place) {
      places[place].pair_end = 0;
      if (places[place].end >= size) return;
      const std::size_t end = places[places[place].end].end;
      const std::uint32_t merged = rank(place, end);
      if (merged == kNone) return;
      places[place].pair_end = end;
      queue.push({merged, place});
    };
    for (std::size_t i = 0; i <= size; ++i) places[i] = {i + 1, i - 1, 0};
    for (std::size_t i = 0; i < size; ++i) look(i);
    while (!queue.empty()) {
      const Pair next = queue.top();
      queue.pop();
      Place& part = places[next.place];
      if (part.pair_end == 0 || rank(next.place, part.pair_end) != next.rank) continue;
      places[part.end].pair_end = 0;
      part.end = part.pair_end;
      places[part.end].before = next.place;
      look(next.place);
      if (next.place) look(part.before);
    }
    for (std::size_t i = 0; i < size; i = places[i].end) take(i, places[i].end, rank(i, places[i].end));
  }

  const Tables& tables_;
  Merger& merger_;
  const std::uint8_t* p_;
  std::size_t size_, window_;
  std::vector<Part> current_, following_, merged_;
  std::size_t merged_begin_ = 0, merged_size_ = 0;
};

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
