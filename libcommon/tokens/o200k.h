// o200k_base, exactly.  Strings of special tokens are ordinary text, and what is not UTF-8 is the U+FFFD that replaces
// it.  Time is linear in the text, whatever it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace magi::o200k {

// `replaced_bytes`, if given, grows by the bytes that are not UTF-8.
std::uint64_t count(std::string_view text, std::uint64_t* replaced_bytes = nullptr);
// The same as long as it is at most `limit`; else, without reading on, some number above it.
std::uint64_t count_until(std::string_view text, std::uint64_t limit);
std::vector<std::uint32_t> encode_ordinary(std::string_view text, std::uint64_t* replaced_bytes = nullptr);

// The bytes of a token, special ones included; nothing where there is none of this ID.
std::optional<std::string_view> token_bytes(std::uint32_t id);

// The longest prefix of at most `limit` tokens that ends on a character.  Requires: valid UTF-8.
std::string_view truncate(std::string_view text, std::uint64_t limit);

// Whether pieces always end between these two bytes, so that the counts of both sides add up: behind a letter or digit
// and before white space or punctuation, the quote of a contraction aside; all ASCII.
constexpr bool is_split(char before, char after) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return is_word(before) && !is_word(after) && after != '\'' && static_cast<unsigned char>(after) < 0x80;
}
// The last such place in the text, as an offset; 0 where there is none.
std::size_t last_split(std::string_view text);

// The count of a text that grows: what was added before the last split is not read again.
class GrowingCount {
 public:
  void add(std::string_view text);
  // Of everything added so far.
  std::uint64_t total() const;

 private:
  std::uint64_t counted_ = 0;
  std::string rest_;
  std::size_t searched_ = 0;  // no split in the rest before this place
};

}  // namespace magi::o200k
