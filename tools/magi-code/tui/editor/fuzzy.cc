#include <algorithm>

#include "tools/magi-code/tui/editor/completion.h"

namespace magi::code::tui {
namespace {

// Weights against each other; a match of the whole text always wins.
constexpr int kMatch = 16, kBoundary = 10, kRun = 12, kGap = 2, kMostGap = 20, kInName = 6, kWhole = 2'000,
              kPrefix = 60;
constexpr int kMostLengthPenalty = 30;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; }
bool is_letter(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

bool begins_part(std::string_view text, std::size_t at) {
  if (at == 0 || !is_letter(text[at - 1])) return true;
  const bool is_capital = text[at] >= 'A' && text[at] <= 'Z';
  return is_capital && !(text[at - 1] >= 'A' && text[at - 1] <= 'Z');
}

// Of the last subsequence that ends earliest, the shortest: forwards to find the end, backwards to draw it together.
bool find_places(std::string_view query, std::string_view text, std::size_t from, std::vector<std::size_t>& places) {
  places.assign(query.size(), 0);
  std::size_t at = from;
  for (const char wanted : query) {
    while (at < text.size() && lower(text[at]) != lower(wanted)) ++at;
    if (at == text.size()) return false;
    ++at;
  }
  for (std::size_t i = query.size(); i > 0; --i) {
    do --at;
    while (lower(text[at]) != lower(query[i - 1]));
    places[i - 1] = at;
  }
  return true;
}

int score_of(std::string_view query, std::string_view text, const std::vector<std::size_t>& places) {
  const std::size_t slash = text.substr(0, text.empty() ? 0 : text.size() - 1).rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  int score = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    score += kMatch;
    if (begins_part(text, places[i])) score += kBoundary;
    if (places[i] >= name) score += kInName;
    if (i == 0) continue;
    const auto gap = static_cast<int>(std::min<std::size_t>(places[i] - places[i - 1] - 1, kMostGap));
    score += gap == 0 ? kRun : -kGap * gap;
  }
  if (!places.empty() && (places[0] == 0 || places[0] == name) && places.back() - places[0] + 1 == query.size())
    score += kPrefix;
  return score;
}

// The best of a few beginnings: the first possible, the file's name, and a run of the whole query.
int best_places(std::string_view query, std::string_view text, std::vector<std::size_t>& best) {
  if (!find_places(query, text, 0, best)) return -1;
  int most = score_of(query, text, best);
  std::vector<std::size_t> places;
  const auto consider = [&](std::size_t from) {
    if (from == 0 || from == std::string_view::npos || !find_places(query, text, from, places)) return;
    if (const int score = score_of(query, text, places); score > most) most = score, best = places;
  };
  consider(text.rfind('/') + 1);
  for (std::size_t at = 1; at + query.size() <= text.size(); ++at) {
    if (begins_part(text, at) && lower(text[at]) == lower(query[0])) consider(at);
  }
  return std::max(most, 0);
}

}  // namespace

int fuzzy_score(std::string_view query, std::string_view text) {
  if (query.empty()) return 0;
  std::vector<std::size_t> places;
  const int score = best_places(query, text, places);
  if (score < 0) return score;
  const bool is_whole = query.size() == text.size();
  return kMostLengthPenalty + score + (is_whole ? kWhole : 0) -
         static_cast<int>(std::min<std::size_t>(text.size() / 4, kMostLengthPenalty));
}

std::vector<std::size_t> fuzzy_places(std::string_view query, std::string_view text) {
  std::vector<std::size_t> places;
  if (query.empty() || best_places(query, text, places) < 0) return {};
  return places;
}

}  // namespace magi::code::tui
