// Text that is spelled in another way: base64, hexadecimal, percent signs, character references and escapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magi::assess {

struct Blob {
  std::uint32_t begin, end;  // source bytes
  std::string text;          // what it spells
  std::string_view rule;
};

// Blobs that spell readable text.  They are decoded once: what they hold is not searched for further ones.  Memory is
// bounded by that of the source.  Linear.
std::vector<Blob> find_encoded(std::string_view source);

}  // namespace magi::assess
