// The vocabulary as committed, checked against the official text, with what the tables need to know of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::o200k::build {

class Vocabulary {
 public:
  // `bytes`: each token in rank order behind a byte with its length.  An error unless the official text of the
  // vocabulary, made from it, has the digest that its publisher gives.
  static Result<Vocabulary> parse(std::string bytes);

  const std::vector<std::string_view>& tokens() const { return tokens_; }
  std::optional<std::uint32_t> rank(std::string_view token) const;

 private:
  std::string bytes_;
  std::vector<std::string_view> tokens_;
  std::unordered_map<std::string_view, std::uint32_t> ranks_;
};

// Characters that are tokens before anything across their border is (layout.h, kCharIds).  A merge takes the lowest
// rank there is, and the next merge inside such a character is there until it is whole; its highest rank is below that
// of every token that holds a part of it and a neighbour, but for neighbours in the sets.
struct CharStarts {
  std::vector<std::uint32_t> characters;     // below 0x10000
  std::vector<std::uint64_t> after, before;  // a byte
};
Result<CharStarts> char_starts(const Vocabulary& vocabulary);

}  // namespace magi::o200k::build
