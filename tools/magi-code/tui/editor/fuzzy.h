// Matches one query against many texts, keeping its memory from one to the next.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace magi::code::tui {

class FuzzyMatcher {
 public:
  // `query` must outlive it.
  explicit FuzzyMatcher(std::string_view query) : query_(query) {}

  // As fuzzy_score().
  int score(std::string_view text);
  // Where it matched in the text that was scored last; empty: not at all.
  const std::vector<std::size_t>& places() const { return best_; }

 private:
  int best_score(std::string_view text);

  std::string_view query_;
  std::vector<std::size_t> best_, places_;
};

}  // namespace magi::code::tui
