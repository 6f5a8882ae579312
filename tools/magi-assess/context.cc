#include "tools/magi-assess/context.h"

#include <algorithm>

namespace magi::assess {
namespace {

constexpr std::size_t kNearBytes = 400;
constexpr double kQuotedAndDiscussed = 0.3, kDiscussed = 0.55, kQuoted = 0.75;

// A quotation mark right before what was found, but for blanks, brackets and marks of emphasis.
bool is_quoted(std::string_view source, std::size_t at) {
  constexpr std::string_view kPassedOver = " \t([*_";
  while (at > 0 && kPassedOver.find(source[at - 1]) != std::string_view::npos) --at;
  const std::string_view before = source.substr(0, at);
  for (const std::string_view mark : {"\"", "'", "`", "\xC2\xAB", "\xE2\x80\x9C", "\xE2\x80\x98", "\xE2\x80\x9E"})
    if (before.ends_with(mark)) return true;
  return false;
}

}  // namespace

void discount_quoted(std::string_view source, const Folded& text, const std::vector<Word>& words, Hits& hits) {
  std::vector<std::uint32_t> discussing;
  for (const Word& word : words)
    if (word.concepts & kDiscuss) discussing.push_back(static_cast<std::uint32_t>(text.source_begin(word.begin)));
  for (Hit& hit : hits) {
    const std::uint32_t from = hit.begin > kNearBytes ? hit.begin - static_cast<std::uint32_t>(kNearBytes) : 0;
    const auto first = std::lower_bound(discussing.begin(), discussing.end(), from);
    const auto last = std::lower_bound(first, discussing.end(), hit.end + kNearBytes);
    // Those inside the hit are its own words.
    const auto inside = std::lower_bound(first, last, hit.end) - std::lower_bound(first, last, hit.begin);
    const auto near = (last - first) - inside;
    const bool quoted = is_quoted(source, hit.begin);
    double factor = 1;
    if (quoted && near >= 1)
      factor = near >= 2 ? kQuotedAndDiscussed : (kQuotedAndDiscussed + kQuoted) / 2;
    else if (near >= 3)
      factor = kDiscussed;
    else if (quoted)
      factor = kQuoted;
    hit.weight *= factor;
    hit.discounted = factor < 1;
  }
}

}  // namespace magi::assess
