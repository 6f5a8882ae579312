#include "libcommon/base/nearest.h"

#include <algorithm>
#include <cstddef>

namespace magi {
namespace {

// Optimal string alignment over three rows.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kMaxBytes = 100;
  std::string_view best;
  std::size_t fewest = word.size() / 3 + 1;
  if (word.size() > kMaxBytes) return best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kMaxBytes) continue;
    const std::size_t count = edits(word, candidate);
    if (count < fewest) fewest = count, best = candidate;
  }
  return best;
}

}  // namespace magi
