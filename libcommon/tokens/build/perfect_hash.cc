#include "libcommon/tokens/build/perfect_hash.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "libcommon/tokens/o200k/layout.h"

namespace magi::o200k::build {
namespace {

// 5 % of the slots stay empty, so that the last buckets find one.
constexpr std::size_t kFilledPercent = 95;
constexpr std::uint64_t kSeeds = 20;

std::uint64_t hash_of(std::string_view key, std::uint64_t seed) {
  std::uint64_t words[2] = {0, 0};
  std::memcpy(words, key.data(), key.size());
  return short_hash(words[0], words[1], key.size(), seed);
}

// The bucket's slots under the first pilot that finds them all free and different.
bool place(PerfectHash& table, std::uint32_t bucket, const std::vector<std::uint32_t>& keys,
           const std::vector<std::uint64_t>& hashes) {
  const auto count = static_cast<std::uint32_t>(table.slots.size());
  for (std::uint32_t pilot = 0; pilot < 0x10000; ++pilot) {
    std::size_t placed = 0;
    for (; placed < keys.size(); ++placed) {
      std::uint32_t& slot = table.slots[short_slot(hashes[keys[placed]], pilot, count)];
      if (slot != kNone) break;
      slot = keys[placed];
    }
    if (placed == keys.size()) {
      table.pilots[bucket] = static_cast<std::uint16_t>(pilot);
      return true;
    }
    while (placed--) table.slots[short_slot(hashes[keys[placed]], pilot, count)] = kNone;
  }
  return false;
}

std::optional<PerfectHash> try_seed(const std::vector<std::string_view>& keys, std::uint64_t seed) {
  PerfectHash table;
  table.seed = seed;
  table.pilots.assign(kBuckets, 0);
  table.slots.assign(keys.size() * 100 / kFilledPercent, kNone);
  std::vector<std::uint64_t> hashes(keys.size());
  std::vector<std::vector<std::uint32_t>> buckets(kBuckets);
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    hashes[i] = hash_of(keys[i], seed);
    buckets[short_bucket(hashes[i])].push_back(i);
  }
  std::vector<std::uint32_t> order(kBuckets);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return buckets[a].size() > buckets[b].size(); });
  for (const std::uint32_t bucket : order)
    if (!place(table, bucket, buckets[bucket], hashes)) return std::nullopt;
  return table;
}

}  // namespace

std::optional<PerfectHash> make_perfect_hash(const std::vector<std::string_view>& keys) {
  std::uint64_t seed = 0x243F6A8885A308D3;
  for (std::uint64_t i = 0; i < kSeeds; ++i, seed = seed * 0x5851F42D4C957F2D + 1)
    if (auto table = try_seed(keys, seed)) return table;
  return std::nullopt;
}

}  // namespace magi::o200k::build
