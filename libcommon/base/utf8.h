// UTF-8 by bytes: validity, replacement, and cuts that never split a character.  "Characters" are code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace magi::utf8 {

struct Decoded {
  char32_t code_point = 0;  // U+FFFD where !valid
  std::size_t length = 0;   // bytes taken; of an invalid sequence its maximal subpart (Unicode 15, 3.9), at least 1
  bool valid = false;
};
// Requires: at < text.size().
Decoded decode(std::string_view text, std::size_t at);

void append(std::string& out, char32_t code_point);

// Bytes of the longest valid prefix; text.size() when all is valid.
std::size_t valid_prefix(std::string_view text);
inline bool is_valid(std::string_view text) { return valid_prefix(text) == text.size(); }

// Each maximal invalid subpart becomes one U+FFFD.  `replaced_bytes`, if given, grows by the bytes replaced.
std::string sanitize(std::string_view text, std::uint64_t* replaced_bytes = nullptr);

// Code points of valid text.
std::size_t count(std::string_view text);
// Byte length of the first / offset of the last `characters` code points of valid text.
std::size_t prefix_bytes(std::string_view text, std::size_t characters);
std::size_t suffix_offset(std::string_view text, std::size_t characters);

// The longest prefix of at most `max_bytes` that ends on a character boundary of valid text.
std::size_t floor_boundary(std::string_view text, std::size_t max_bytes);

}  // namespace magi::utf8
