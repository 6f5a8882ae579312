#include "libcommon/json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "libcommon/base/utf8.h"

namespace magi::json {
namespace {

// True for bytes that stand for themselves inside a JSON string: printable ASCII but quote and backslash.
constexpr auto kPlain = [] {
  std::array<bool, 256> table{};
  for (int c = 0x20; c < 0x80; ++c) table[static_cast<std::size_t>(c)] = c != '"' && c != '\\';
  return table;
}();

void append_escape(std::string& out, unsigned char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    default:
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
  }
}

template <class Number>
void append_number(std::string& out, Number value) {
  char digits[40];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, error == std::errc{} ? end : digits);
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out.reserve(out.size() + text.size() + 2);
  out += '"';
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t run = at;
    while (run < text.size() && kPlain[static_cast<unsigned char>(text[run])]) ++run;
    out.append(text, at, run - at);
    if ((at = run) == text.size()) break;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) {
      append_escape(out, c);
      ++at;
      continue;
    }
    const utf8::Decoded d = utf8::decode(text, at);
    if (d.valid) out.append(text, at, d.length);
    else utf8::append(out, d.code_point);
    at += d.length;
  }
  out += '"';
}

Writer& Writer::integer(std::int64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  append_number(out_, value);
  return *this;
}

}  // namespace magi::json
