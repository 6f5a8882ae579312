#include "tools/magi-tool/findings.h"

#include <algorithm>

namespace magi::toolbox {

bool PathOrder::operator()(std::string_view a, std::string_view b) const {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (differ.second == b.end()) return false;
  if (differ.first == a.end()) return true;
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)); };
  return rank(*differ.first) < rank(*differ.second);
}

bool Findings::wants(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return kept_bytes_ < limit_ || kept_.empty() || PathOrder()(path, kept_.rbegin()->first);
}

void Findings::add(std::string_view path, std::string lines, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  lines_ += count;
  ++paths_;
  const bool full = kept_bytes_ >= limit_;
  if (lines.empty() || (full && !kept_.empty() && PathOrder()(kept_.rbegin()->first, path))) return;
  kept_bytes_ += lines.size();
  kept_.emplace(path, std::move(lines));
  // The last one stays as long as what stands before it leaves room for its first line.
  while (kept_.size() > 1 && kept_bytes_ - kept_.rbegin()->second.size() >= limit_) {
    kept_bytes_ -= kept_.rbegin()->second.size();
    kept_.erase(std::prev(kept_.end()));
  }
}

std::string Findings::text(std::int64_t& shown) const {
  std::string out;
  shown = 0;
  for (const auto& [path, lines] : kept_) {
    for (std::string_view rest = lines; !rest.empty(); ++shown) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      if (out.size() + line.size() > limit_) return out;
      out += line;
      rest.remove_prefix(line.size());
    }
  }
  return out;
}

}  // namespace magi::toolbox
