// "Did you mean": the candidate nearest to a mistyped word.
#pragma once

#include <string_view>
#include <vector>

namespace magi {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours); empty where none is within a third
// of the word's length.  Words over 100 bytes have no neighbour.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace magi
