// The longest common subsequence of two sequences, by Myers's greedy algorithm.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace magi::code::tui {

// Pairs of indexes that are equal, both rising.  Time and memory grow with the square of the number of differences;
// beyond `most_differences` only the common beginning and end are found.
std::vector<std::pair<std::size_t, std::size_t>> common_parts(
    std::size_t first, std::size_t second, const std::function<bool(std::size_t, std::size_t)>& equal,
    std::size_t most_differences);

}  // namespace magi::code::tui
