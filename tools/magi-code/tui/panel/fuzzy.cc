#include "tools/magi-code/tui/panel/fuzzy.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

using Spans = std::vector<std::pair<std::size_t, std::size_t>>;

// Better than any letters that stand apart; a part of the label is better than one of the rest.
constexpr int kInLabel = 1000, kInExtra = 400, kAtWordStart = 200, kMostPenalty = 100, kRun = 5;
// Letters of longer labels are not looked for one by one.
constexpr std::size_t kMostLabelBytes = 400;

bool is_word_byte(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c & 0x80); }

// Where the letters of `word` stand in order, as early as they can; empty: they do not.
Spans letters_in_order(std::string_view word, std::string_view label) {
  Spans spans;
  std::size_t at = 0;
  for (const char letter : word) {
    at = label.substr(0, kMostLabelBytes).find(letter, at);
    if (at == std::string_view::npos) return {};
    if (!spans.empty() && spans.back().second == at)
      ++spans.back().second;
    else
      spans.emplace_back(at, at + 1);
    ++at;
  }
  return spans;
}

int penalty(std::size_t distance) { return static_cast<int>(std::min<std::size_t>(distance, kMostPenalty)); }

std::optional<int> score_word(std::string_view word, std::string_view label, std::string_view extra) {
  if (const std::size_t at = label.find(word); at != std::string_view::npos)
    return kInLabel - penalty(at) + (at == 0 || !is_word_byte(label[at - 1]) ? kAtWordStart : 0);
  if (const std::size_t at = extra.find(word); at != std::string_view::npos) return kInExtra - penalty(at);
  const Spans spans = letters_in_order(word, label);
  if (spans.empty()) return std::nullopt;
  const int gaps = penalty(spans.back().second - spans.front().first - word.size());
  return kMostPenalty - gaps + kRun * static_cast<int>(word.size() - spans.size());
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

FuzzyQuery::FuzzyQuery(std::string_view text) {
  const std::string lower = folded(text);
  std::string_view rest = lower;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) words_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::optional<int> FuzzyQuery::score(std::string_view label, std::string_view extra) const {
  int total = 0;
  for (const std::string& word : words_) {
    const auto points = score_word(word, label, extra);
    if (!points) return std::nullopt;
    total += *points;
  }
  return total;
}

Spans FuzzyQuery::matches(std::string_view label) const {
  Spans all;
  for (const std::string& word : words_) {
    if (const std::size_t at = label.find(word); at != std::string_view::npos) {
      all.emplace_back(at, at + word.size());
    } else {
      const Spans apart = letters_in_order(word, label);
      all.insert(all.end(), apart.begin(), apart.end());
    }
  }
  std::sort(all.begin(), all.end());
  Spans merged;
  for (const auto& span : all) {
    if (!merged.empty() && span.first <= merged.back().second)
      merged.back().second = std::max(merged.back().second, span.second);
    else
      merged.push_back(span);
  }
  return merged;
}

}  // namespace magi::code::tui
