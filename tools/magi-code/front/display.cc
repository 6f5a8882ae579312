#include "tools/magi-code/front/display.h"

#include "libcommon/base/utf8.h"

namespace magi::code {

std::string display_safe(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const utf8::Decoded d = utf8::decode(text, at);
    const char32_t c = d.code_point;
    if (c < 0x20 && c != '\n' && c != '\t') {
      out += '^';
      out += static_cast<char>('@' + c);
    } else if (c == 0x7f) {
      out += "^?";
    } else if (c >= 0x80 && c < 0xa0) {
      out += "^[";
      out += static_cast<char>('@' + (c - 0x80));
    } else {
      utf8::append(out, c);
    }
    at += d.length;
  }
  return out;
}

std::string one_line(std::string_view text, std::size_t max_characters) {
  const std::string safe = display_safe(text.substr(0, text.find('\n')));
  const std::size_t cut = utf8::prefix_bytes(safe, max_characters);
  const bool shortened = cut < safe.size() || text.find('\n') != std::string_view::npos;
  return safe.substr(0, cut) + (shortened ? "..." : "");
}

}  // namespace magi::code
