// Finding entries by what is typed: each word, in any order, as a part of the entry, else its letters in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace magi::code::tui {

// ASCII letters in lower case; what matching works on.
std::string folded(std::string_view text);

// A query, prepared once for many entries.
class FuzzyQuery {
 public:
  explicit FuzzyQuery(std::string_view text);

  bool empty() const { return words_.empty(); }
  // How well `label` fits, or `extra` where the label does not; nothing: some word of the query fits neither.  Letters
  // that stand apart are looked for in the label alone.  Requires: both folded.
  std::optional<int> score(std::string_view label, std::string_view extra) const;
  // The bytes of the label that fit, as begin and end, in order.  Requires: folded.
  std::vector<std::pair<std::size_t, std::size_t>> matches(std::string_view label) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace magi::code::tui
