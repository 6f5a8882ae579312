// Counting and encoding valid UTF-8, for one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace magi::o200k {

// Holds what it has learnt of pieces, at most some 5 MB; one thread at a time.
class Engine {
 public:
  virtual ~Engine() = default;

  // Tokens of the text; where they are more than `limit`, some number above it.
  virtual std::uint64_t count(const char* text, std::size_t size, std::uint64_t limit) = 0;
  // Writes the IDs; returns how many.  Requires: room for one a byte.
  virtual std::size_t encode(const char* text, std::size_t size, std::uint32_t* ids) = 0;
};

// Vectors of 64 bytes were tried: scanning is not where the time goes, and some processors slow down for them.
enum class Isa { kPortable, kAvx2 };
std::string_view isa_name(Isa isa);

// The widest that this processor has.
Isa best_isa();
// Requires: isa <= best_isa().
std::unique_ptr<Engine> make_engine(Isa isa);

}  // namespace magi::o200k
