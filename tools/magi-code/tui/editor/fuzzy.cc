#include "tools/magi-code/tui/editor/fuzzy.h"

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

// Each letter at the beginning of a part: initials.
bool find_initials(std::string_view query, std::string_view text, std::vector<std::size_t>& places) {
  places.clear();
  for (std::size_t at = 0; at < text.size() && places.size() < query.size(); ++at) {
    if (lower(text[at]) == lower(query[places.size()]) && begins_part(text, at)) places.push_back(at);
  }
  return places.size() == query.size();
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
    // From the beginning of one part to that of another is one step, however long the part.
    score += gap == 0 ? kRun : begins_part(text, places[i]) ? -kGap : -kGap * gap;
  }
  if (!places.empty() && (places[0] == 0 || places[0] == name) && places.back() - places[0] + 1 == query.size())
    score += kPrefix;
  return score;
}

}  // namespace

// The best of a few beginnings: the first possible, the file's name, and each part that begins like the query.
int FuzzyMatcher::best_score(std::string_view text) {
  if (!find_places(query_, text, 0, best_)) {
    best_.clear();
    return -1;
  }
  int most = score_of(query_, text, best_);
  const auto weigh = [&] {
    if (const int score = score_of(query_, text, places_); score > most) {
      most = score;
      best_.swap(places_);
    }
  };
  const auto consider = [&](std::size_t from) {
    if (find_places(query_, text, from, places_)) weigh();
  };
  if (find_initials(query_, text, places_)) weigh();
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) consider(slash + 1);
  for (std::size_t at = 1; at + query_.size() <= text.size(); ++at) {
    if (lower(text[at]) == lower(query_[0]) && begins_part(text, at)) consider(at);
  }
  return std::max(most, 0);
}

int FuzzyMatcher::score(std::string_view text) {
  best_.clear();
  if (query_.empty()) return 0;
  const int score = best_score(text);
  if (score < 0) return score;
  const bool is_whole = query_.size() == text.size();
  return kMostLengthPenalty + score + (is_whole ? kWhole : 0) -
         static_cast<int>(std::min<std::size_t>(text.size() / 4, kMostLengthPenalty));
}

int fuzzy_score(std::string_view query, std::string_view text) { return FuzzyMatcher(query).score(text); }

std::vector<std::size_t> fuzzy_places(std::string_view query, std::string_view text) {
  FuzzyMatcher matcher(query);
  matcher.score(text);
  return matcher.places();
}

}  // namespace magi::code::tui
