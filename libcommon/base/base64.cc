#include "libcommon/base/base64.h"

#include <algorithm>
#include <cstdint>

namespace magi {
namespace {

// 0 to 63; 64: no digit.
std::uint32_t value_of(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
  if (c == '+') return 62;
  return c == '/' ? 63 : 64;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const auto byte = [&](std::size_t i) {
      return i < left ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) : 0u;
    };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += left > 1 ? kDigits[group >> 6 & 63] : '=';
    out += left > 2 ? kDigits[group & 63] : '=';
  }
  return out;
}

std::optional<std::string> base64_decoded(std::string_view text, std::size_t max_bytes) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string_view digits = text;
  for (int padding = 0; padding < 2 && digits.ends_with('='); ++padding) digits.remove_suffix(1);
  if (std::any_of(digits.begin(), digits.end(), [](char c) { return value_of(c) == 64; })) return std::nullopt;
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : digits) {
    if (out.size() == max_bytes) break;
    group = group << 6 | value_of(c);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 255);
  }
  return out;
}

}  // namespace magi
