// The engine, compiled once for each instruction set.
#pragma once

#include "libcommon/tokens/o200k/block.h"
#include "libcommon/tokens/o200k/cache.h"
#include "libcommon/tokens/o200k/engine.h"
#include "libcommon/tokens/o200k/long_piece.h"
#include "libcommon/tokens/o200k/merge.h"
#include "libcommon/tokens/o200k/scanner.h"

namespace magi::o200k {
inline namespace MAGI_O200K_ISA {

// Where tokens go: a number, or a place in memory.
struct CountSink {
  std::uint64_t count = 0;
  void put(std::uint32_t) { ++count; }
};
struct IdSink {
  std::uint32_t* next;
  void put(std::uint32_t id) { *next++ = id; }
};

class EngineImpl final : public Engine {
 public:
  std::uint64_t count(const char* text, std::size_t size, std::uint64_t limit) override {
    CountSink sink;
    run(reinterpret_cast<const std::uint8_t*>(text), size, sink, limit);
    return sink.count;
  }

  std::size_t encode(const char* text, std::size_t size, std::uint32_t* ids) override {
    IdSink sink{ids};
    run(reinterpret_cast<const std::uint8_t*>(text), size, sink, 0);
    return static_cast<std::size_t>(sink.next - ids);
  }

 private:
  // A block and the 16 bytes from its last position are readable without asking.
  static constexpr std::size_t kMargin = kBlockBytes + kShortBytes;

  static bool over(const CountSink& sink, std::uint64_t limit) { return sink.count > limit; }
  static bool over(const IdSink&, std::uint64_t) { return false; }

  template <class Sink>
  void run(const std::uint8_t* p, std::size_t size, Sink& sink, std::uint64_t limit) {
    const std::uint8_t* const end = p + size;
    const Scanner scanner(tables_, end);
    while (static_cast<std::size_t>(end - p) >= kMargin) {
      p = step(p, kBlockBytes, scanner, sink);
      if (over(sink, limit)) return;
    }
    if (p == end) return;
    std::uint8_t rest[2 * kMargin] = {};
    const std::size_t left = static_cast<std::size_t>(end - p);
    std::memcpy(rest, p, left);
    const Scanner rest_scanner(tables_, rest + left);
    for (const std::uint8_t* q = rest; q < rest + left;) {
      const std::size_t known = static_cast<std::size_t>(rest + left - q);
      q = step(q, known < kBlockBytes ? static_cast<unsigned>(known) : kBlockBytes, rest_scanner, sink);
    }
  }

  // The pieces that the block at `p` shows, or else one piece; returns what is behind them.
  template <class Sink>
  const std::uint8_t* step(const std::uint8_t* p, unsigned known, const Scanner& scanner, Sink& sink) {
    if (((load64(p) | load64(p + 8)) & 0x8080808080808080) == 0) {
      if (std::uint64_t starts = piece_starts(p, known)) {
        std::size_t begin = 0;
        do {
          const auto next = static_cast<std::size_t>(__builtin_ctzll(starts));
          piece(p + begin, next - begin, sink);
          begin = next;
        } while (starts &= starts - 1);
        return p + begin;
      }
    }
    const std::uint8_t* const piece_end = scanner.piece_end(p);
    piece(p, static_cast<std::size_t>(piece_end - p), sink);
    return piece_end;
  }

  // Requires: 16 readable bytes.
  template <class Sink>
  void piece(const std::uint8_t* p, std::size_t size, Sink& sink) {
    if (size > kShortBytes) [[unlikely]]
      return longer_piece(p, size, sink);
    const ShortKey key(p, size, tables_.seed());
    const std::uint32_t id = tables_.find(key);
    if (id != kNone) [[likely]]
      return sink.put(id);
    other_piece(p, key, sink);
  }

  [[gnu::noinline]] void other_piece(const std::uint8_t* p, const ShortKey& key, CountSink& sink) {
    Caches::ShortCount* const entry = caches_.short_counts.at(key.hash >> 8);
    if (entry) {
      std::uint64_t words[2];
      std::memcpy(words, entry, sizeof words);
      if (words[0] == key.low && words[1] == key.high && entry->size == key.size) {
        sink.count += entry->count;
        return;
      }
    }
    const std::size_t count = merge(p, key.size);
    sink.count += count;
    if (!entry) return;
    std::memcpy(entry->low, &key.low, sizeof key.low);
    std::memcpy(entry->high, &key.high, sizeof key.high);
    entry->size = static_cast<std::uint16_t>(key.size);
    entry->count = static_cast<std::uint16_t>(count);
  }

  [[gnu::noinline]] void other_piece(const std::uint8_t* p, const ShortKey& key, IdSink& sink) {
    Caches::ShortIds* const entry = caches_.short_ids.at(key.hash >> 8);
    if (entry && entry->low == key.low && entry->high == key.high && entry->size == key.size) {
      for (unsigned i = 0; i < entry->count; ++i) sink.put(entry->ids[i]);
      return;
    }
    const std::uint32_t* const first = sink.next;
    merge(p, key.size);
    merger_.for_each([&](std::size_t, std::size_t, std::uint32_t id) { sink.put(id); });
    const auto count = static_cast<std::size_t>(sink.next - first);
    if (!entry || count > sizeof entry->ids / sizeof entry->ids[0]) return;
    entry->low = key.low;
    entry->high = key.high;
    entry->size = static_cast<std::uint16_t>(key.size);
    entry->count = static_cast<std::uint16_t>(count);
    std::memcpy(entry->ids, first, count * sizeof *first);
  }

  template <class Sink>
  [[gnu::noinline]] void longer_piece(const std::uint8_t* p, std::size_t size, Sink& sink) {
    const std::uint32_t id = tables_.find_long(p, size);
    if (id != kNone) return sink.put(id);
    if (size <= kCachedBytes) return other_long_piece(p, size, sink);
    if (size <= Merger::kBytes) {
      merge(p, size);
      merger_.for_each([&](std::size_t, std::size_t, std::uint32_t part) { sink.put(part); });
      return;
    }
    const auto take = [&](std::uint32_t part) { sink.put(part); };
    const Sink before = sink;
    if (LongPiece(tables_, merger_, p, size).encode(take)) return;
    sink = before;
    (void)LongPiece(tables_, merger_, p, size, size).encode(take);
  }

  void other_long_piece(const std::uint8_t* p, std::size_t size, CountSink& sink) {
    Caches::LongCount* const entry = caches_.long_counts.at(long_hash(p, size));
    if (entry && entry->size == size && std::memcmp(entry->bytes, p, size) == 0) {
      sink.count += entry->count;
      return;
    }
    const std::size_t count = merge(p, size);
    sink.count += count;
    if (!entry) return;
    std::memcpy(entry->bytes, p, size);
    entry->size = static_cast<std::uint32_t>(size);
    entry->count = static_cast<std::uint32_t>(count);
  }

  void other_long_piece(const std::uint8_t* p, std::size_t size, IdSink& sink) {
    Caches::LongIds* const entry = caches_.long_ids.at(long_hash(p, size));
    if (entry && entry->size == size && std::memcmp(entry->bytes, p, size) == 0) {
      for (unsigned i = 0; i < entry->count; ++i) sink.put(entry->ids[i]);
      return;
    }
    const std::uint32_t* const first = sink.next;
    merge(p, size);
    merger_.for_each([&](std::size_t, std::size_t, std::uint32_t id) { sink.put(id); });
    const auto count = static_cast<std::size_t>(sink.next - first);
    if (!entry || count > sizeof entry->ids / sizeof entry->ids[0]) return;
    std::memcpy(entry->bytes, p, size);
    entry->size = static_cast<std::uint16_t>(size);
    entry->count = static_cast<std::uint16_t>(count);
    std::memcpy(entry->ids, first, count * sizeof *first);
  }

  // Leaves the parts in the merger; returns how many.
  std::size_t merge(const std::uint8_t* p, std::size_t size) { return merger_.merge(p, size); }

  const Tables tables_;
  Caches caches_;
  Merger merger_{tables_};
};

Engine* new_engine() { return new EngineImpl; }

}  // namespace MAGI_O200K_ISA
}  // namespace magi::o200k
