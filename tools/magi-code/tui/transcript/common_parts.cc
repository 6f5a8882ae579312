#include "tools/magi-code/tui/transcript/common_parts.h"

#include <algorithm>
#include <cstdint>

namespace magi::code::tui {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Equal = std::function<bool(std::size_t, std::size_t)>;

// Of the middles that differ at both of their ends.
class Search {
 public:
  Search(std::int64_t first, std::int64_t second, std::size_t offset, const Equal& equal)
      : n_(first), m_(second), offset_(offset), equal_(equal) {}

  // False: too many differences.
  bool run(std::int64_t most, Pairs& out) {
    most = std::min(most, n_ + m_);
    std::vector<std::int64_t> reach(static_cast<std::size_t>(2 * most + 3), 0);
    const auto at = [&](std::int64_t k) -> std::int64_t& { return reach[static_cast<std::size_t>(k + most + 1)]; };
    for (std::int64_t d = 0; d <= most; ++d) {
      std::vector<std::int64_t> row;
      for (std::int64_t k = -d; k <= d; k += 2) {
        std::int64_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
        while (x < n_ && x - k < m_ && x - k >= 0 && same(x, x - k)) ++x;
        at(k) = x;
        row.push_back(x);
        if (x >= n_ && x - k >= m_) {
          rows_.push_back(std::move(row));
          walk_back(d, k, out);
          return true;
        }
      }
      rows_.push_back(std::move(row));
    }
    return false;
  }

 private:
  bool same(std::int64_t x, std::int64_t y) const {
    return equal_(offset_ + static_cast<std::size_t>(x), offset_ + static_cast<std::size_t>(y));
  }
  std::int64_t reached(std::int64_t d, std::int64_t k) const {
    return rows_[static_cast<std::size_t>(d)][static_cast<std::size_t>((k + d) / 2)];
  }

  void walk_back(std::int64_t d, std::int64_t k, Pairs& out) const {
    Pairs found;
    std::int64_t x = n_;
    for (; d >= 0; --d) {
      std::int64_t from_x = 0, from_k = k;
      if (d > 0) {
        const bool down = k == -d || (k != d && reached(d - 1, k - 1) < reached(d - 1, k + 1));
        from_k = down ? k + 1 : k - 1;
        from_x = down ? reached(d - 1, from_k) : reached(d - 1, from_k) + 1;
      }
      for (; x > from_x; --x)
        found.emplace_back(offset_ + static_cast<std::size_t>(x - 1), offset_ + static_cast<std::size_t>(x - 1 - k));
      if (d > 0) x = reached(d - 1, from_k);
      k = from_k;
    }
    out.insert(out.end(), found.rbegin(), found.rend());
  }

  const std::int64_t n_, m_;
  const std::size_t offset_;
  const Equal& equal_;
  std::vector<std::vector<std::int64_t>> rows_;  // of each number of differences, where each diagonal reached
};

}  // namespace

Pairs common_parts(std::size_t first, std::size_t second, const Equal& equal, std::size_t most_differences) {
  Pairs out;
  std::size_t begin = 0, end = 0;
  while (begin < first && begin < second && equal(begin, begin)) out.emplace_back(begin, begin), ++begin;
  while (end < first - begin && end < second - begin && equal(first - 1 - end, second - 1 - end)) ++end;
  Search search(static_cast<std::int64_t>(first - begin - end), static_cast<std::int64_t>(second - begin - end), begin,
                equal);
  search.run(static_cast<std::int64_t>(most_differences), out);
  for (; end > 0; --end) out.emplace_back(first - end, second - end);
  return out;
}

}  // namespace magi::code::tui
