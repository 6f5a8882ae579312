#include "libcommon/base/harmless.h"

#include <cstdio>

#include "libcommon/base/utf8.h"

namespace magi {
namespace {

bool is_harmful(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

}  // namespace

void append_harmless(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded d = utf8::decode(text, at);
    if (is_harmful(d.code_point)) {
      char escape[16];
      std::snprintf(escape, sizeof escape, d.code_point < 0x100 ? "\\x%02x" : "\\u{%04x}",
                    static_cast<unsigned>(d.code_point));
      out += escape;
    } else {
      utf8::append(out, d.code_point);
    }
    at += d.length;
  }
}

std::string harmless(std::string_view text) {
  std::string out;
  append_harmless(out, text);
  return out;
}

}  // namespace magi
