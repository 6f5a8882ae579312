#include "tools/magi-code/tui/text/amounts.h"

#include <algorithm>

namespace magi::code::tui {

std::string duration_text(std::int64_t duration_ms) {
  const std::int64_t ms = std::max<std::int64_t>(duration_ms, 0);
  if (ms < 1000) return std::to_string(ms) + " ms";
  if (ms < 60'000) return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
  const std::int64_t seconds = ms / 1000;
  if (seconds < 3600) return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds % 3600 / 60) + " min";
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3 && digits[at - 4] != '-';) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace magi::code::tui
