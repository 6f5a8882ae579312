#include "libcommon/base/utf8.h"

#include <cstring>

namespace magi::utf8 {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// True when eight bytes from `p` are ASCII.
bool ascii8(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return (word & 0x8080808080808080u) == 0;
}

struct Lead {
  int length;               // 0: not a lead byte
  unsigned char low, high;  // range of the second byte (Unicode 15, table 3-7)
};

Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Decoded decode(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {U'\uFFFD', 1, false};
  char32_t code = first & (0x7F >> lead.length);
  for (int i = 1; i < lead.length; ++i) {
    if (at + i >= text.size()) return {U'\uFFFD', static_cast<std::size_t>(i), false};
    const auto byte = static_cast<unsigned char>(text[at + i]);
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) return {U'\uFFFD', static_cast<std::size_t>(i), false};
    code = (code << 6) | (byte & 0x3F);
  }
  return {code, static_cast<std::size_t>(lead.length), true};
}

void append(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c >= 0xD800 && c <= 0xDFFF) {
    out += kReplacement;
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x110000) {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += kReplacement;
  }
}

std::size_t valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size() && ascii8(text.data() + at)) {
      at += 8;
      continue;
    }
    const Decoded d = decode(text, at);
    if (!d.valid) return at;
    at += d.length;
  }
  return at;
}

std::string sanitize(std::string_view text, std::uint64_t* replaced_bytes) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = valid_prefix(text);
    out.append(text.substr(0, good));
    if (good == text.size()) break;
    const Decoded bad = decode(text, good);
    out += kReplacement;
    if (replaced_bytes) *replaced_bytes += bad.length;
    text.remove_prefix(good + bad.length);
  }
  return out;
}

std::size_t count(std::string_view text) {
  std::size_t characters = 0;
  for (char c : text) characters += !is_continuation(c);
  return characters;
}

std::size_t prefix_bytes(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_continuation(text[at]) && characters-- == 0) break;
    ++at;
  }
  return at;
}

std::size_t suffix_offset(std::string_view text, std::size_t characters) {
  std::size_t at = text.size();
  while (at > 0 && characters > 0) {
    --at;
    if (!is_continuation(text[at])) --characters;
  }
  return at;
}

std::size_t floor_boundary(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text.size();
  std::size_t at = max_bytes;
  while (at > 0 && is_continuation(text[at])) --at;
  return at;
}

}  // namespace magi::utf8
