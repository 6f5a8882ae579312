// Random but repeatable sessions: every kind of event, in every kind of disorder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace magi::context::test {

// xorshift64*: the same numbers everywhere, which <random>'s distributions do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2685821657736338717u + 1) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 2685821657736338717u >> 32) % bound;
  }

 private:
  std::uint64_t state_;
};

// Lines with LF.  Few IDs, so that they collide.
std::vector<std::string> random_session(Random& random, std::size_t events);

}  // namespace magi::context::test
