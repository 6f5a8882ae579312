#include "libcommon/session/ledger_record.h"

#include <array>
#include <charconv>

#include "libcommon/base/utf8.h"

namespace magi::session {
namespace {

constexpr std::string_view kHexPath = "hex:";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return 0;
}

}  // namespace

std::string mode_text(unsigned mode) {
  std::string text = "0000";
  for (std::size_t at = 4; at-- > 0; mode >>= 3) text[at] = static_cast<char>('0' + (mode & 7));
  return text;
}

unsigned mode_of(const FileState& state) {
  unsigned mode = 0;
  const char* const end = state.mode.data() + state.mode.size();
  const auto [at, error] = std::from_chars(state.mode.data(), end, mode, 8);
  return error == std::errc() && at == end && mode <= 07777 ? mode : 0600;
}

std::string path_to_text(std::string_view path) {
  if (utf8::is_valid(path) && !path.starts_with(kHexPath)) return std::string(path);
  std::string text(kHexPath);
  for (const char c : path) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string path_from_text(std::string_view text) {
  if (!text.starts_with(kHexPath)) return std::string(text);
  std::string path;
  for (std::size_t at = kHexPath.size(); at + 1 < text.size(); at += 2)
    path += static_cast<char>(digit_of(text[at]) << 4 | digit_of(text[at + 1]));
  return path;
}

}  // namespace magi::session
