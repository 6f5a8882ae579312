// What pieces that are no token were encoded to.  Direct-mapped: a new piece takes the place of an old one.  Memory is
// touched as it is used, at most some 2 MB for counting and 3 MB for IDs.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>

#include "libcommon/tokens/o200k/tables.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

// Zeroed entries, which match no piece; their pages come with the first use.
template <class Entry, std::size_t kEntries>
class CacheTable {
 public:
  Entry* at(std::uint64_t hash) {
    if (!entries_) entries_.reset(static_cast<Entry*>(std::calloc(kEntries, sizeof(Entry))));
    return entries_ ? entries_.get() + (hash & (kEntries - 1)) : nullptr;
  }

 private:
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };
  std::unique_ptr<Entry, Free> entries_;
};

inline constexpr std::size_t kCachedBytes = 64;

struct Caches {
  struct ShortCount {
    std::uint32_t low[2], high[2];
    std::uint16_t size, count;
  };
  struct LongCount {
    std::uint8_t bytes[kCachedBytes];
    std::uint32_t size, count;
  };
  struct ShortIds {
    std::uint64_t low, high;
    std::uint16_t size, count;
    std::uint32_t ids[11];
  };
  struct LongIds {
    std::uint8_t bytes[kCachedBytes];
    std::uint16_t size, count;
    std::uint32_t ids[15];
  };
  CacheTable<ShortCount, 1 << 15> short_counts;
  CacheTable<LongCount, 1 << 13> long_counts;
  CacheTable<ShortIds, 1 << 14> short_ids;
  CacheTable<LongIds, 1 << 13> long_ids;
};

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
