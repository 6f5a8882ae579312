#include "tools/magi-code/review/anchor.h"

#include <algorithm>
#include <cstdlib>

#include "libcommon/base/utf8.h"
#include "libcommon/session/mask.h"

namespace magi::code::review {
namespace {

// What a matching neighbour counts: the next one more than all that lie behind it.
constexpr std::size_t weight(std::size_t distance) { return distance < kNeighbours ? 4u >> distance : 0; }

// Compares lines of a file with lines as they are kept.
class Matcher {
 public:
  Matcher(const std::vector<std::string_view>& lines, const Anchor& anchor) : lines_(lines), anchor_(anchor) {}

  bool is(std::size_t at, const std::string& kept) const {
    const std::string_view line = lines_[at];
    if (line == kept) return true;
    // Only these differ from what a line of the same text is kept as.
    const bool may_differ = line.ends_with('\r') || line.size() > kQuotedBytes || session::holds_mask(kept) ||
                            kept.find("\uFFFD") != std::string::npos;
    return may_differ && anchor_text(line) == kept;
  }
  // How well the neighbours stand where they did, above lines[at] and from lines[below] on.
  std::size_t score(std::size_t at, std::size_t below) const {
    std::size_t matched = 0;
    const auto& before = anchor_.before;
    for (std::size_t i = 0; i < before.size() && i < at; ++i)
      if (is(at - 1 - i, before[before.size() - 1 - i])) matched += weight(i);
    for (std::size_t i = 0; i < anchor_.after.size() && below + i < lines_.size(); ++i)
      if (is(below + i, anchor_.after[i])) matched += weight(i);
    return matched;
  }

 private:
  const std::vector<std::string_view>& lines_;
  const Anchor& anchor_;
};

bool says_something(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c & 0x80);
  });
}

struct Best {
  std::int64_t line = 0, distance = 0;
  std::size_t score = 0;

  void offer(std::int64_t at, std::int64_t wanted, std::size_t points) {
    const std::int64_t away = std::abs(at - wanted);
    if (line != 0 && (points < score || (points == score && away >= distance))) return;
    *this = {at, away, points};
  }
};

std::optional<std::int64_t> find_standing(const Matcher& matcher, std::size_t lines, const Anchor& anchor) {
  const bool weak = !says_something(anchor.quoted);
  Best best;
  for (std::size_t at = 0; at < lines; ++at) {
    if (!matcher.is(at, anchor.quoted)) continue;
    const std::size_t score = matcher.score(at, at + 1);
    const auto line = static_cast<std::int64_t>(at + 1);
    if (weak && score == 0 && line != anchor.line) continue;
    best.offer(line, anchor.line, score);
  }
  return best.line == 0 ? std::nullopt : std::optional(best.line);
}

std::optional<std::int64_t> find_gap(const Matcher& matcher, std::size_t lines, const Anchor& anchor) {
  if (anchor.before.empty() && anchor.after.empty()) return lines == 0 ? std::optional<std::int64_t>(1) : std::nullopt;
  Best best;
  for (std::size_t at = 0; at <= lines; ++at)
    if (const std::size_t score = matcher.score(at, at); score > 0)
      best.offer(static_cast<std::int64_t>(at + 1), anchor.line, score);
  // One neighbour of many is no place: "}" stands everywhere.
  const bool has_many = anchor.before.size() + anchor.after.size() > 1;
  const std::size_t needed = has_many ? weight(0) + weight(1) : weight(0);
  return best.score < needed ? std::nullopt : std::optional(best.line);
}

}  // namespace

std::string anchor_text(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  // What is cut away may begin inside a character or a secret: masked first, cut then.
  std::string text = utf8::sanitize(line.substr(0, 4 * kQuotedBytes));
  session::mask_secrets(text);
  text.resize(utf8::floor_boundary(text, kQuotedBytes));
  return text;
}

Anchor anchor_of(const std::vector<std::string_view>& lines, std::size_t at) {
  Anchor anchor;
  anchor.side = kNewSide;
  anchor.line = static_cast<std::int64_t>(at + 1);
  anchor.quoted = anchor_text(lines[at]);
  for (std::size_t i = at - std::min(at, kNeighbours); i < at; ++i) anchor.before.push_back(anchor_text(lines[i]));
  for (std::size_t i = at + 1; i < lines.size() && i <= at + kNeighbours; ++i)
    anchor.after.push_back(anchor_text(lines[i]));
  return anchor;
}

std::optional<std::int64_t> find_anchor(const std::vector<std::string_view>& lines, const Anchor& anchor) {
  const Matcher matcher(lines, anchor);
  return anchor.side == kOldSide ? find_gap(matcher, lines.size(), anchor)
                                 : find_standing(matcher, lines.size(), anchor);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace magi::code::review
