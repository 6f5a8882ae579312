// A table in which each key is found by one look: its bucket's pilot says where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace magi::o200k::build {

struct PerfectHash {
  std::uint64_t seed = 0;
  std::vector<std::uint16_t> pilots;  // a bucket
  std::vector<std::uint32_t> slots;   // index of the key, kNone where empty
};

// Keys of 1 to kShortBytes bytes, all different.  Nothing when no seed of twenty does.
std::optional<PerfectHash> make_perfect_hash(const std::vector<std::string_view>& keys);

}  // namespace magi::o200k::build
