// Fixed strings that give an injection away: turns of a conversation, tags of systems and tools, and phrases of
// languages that put no blanks between words.
#pragma once

#include <bitset>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/magi-assess/fold.h"
#include "tools/magi-assess/hit.h"

namespace magi::assess {

class Markers {
 public:
  Markers();
  // Linear: a text is looked at once, and few markers begin with the same two bytes.
  void find(const Folded& text, Hits& hits) const;

 private:
  struct Marker {
    std::string_view text, then;  // `then`: must follow within `within` bytes; empty: nothing must
    std::size_t within;
    bool at_line_start;
    std::string_view rule;
    Category category;
    double weight;
  };
  std::deque<std::string> storage_;
  std::unordered_map<std::uint16_t, std::vector<Marker>> by_start_;
  std::bitset<65536> starts_;  // the keys of by_start_
};

}  // namespace magi::assess
