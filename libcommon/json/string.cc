// Escapes of JSON strings, decoded by hand because simdjson 3.0 refuses lone surrogates.
#include <cstring>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"

namespace magi::json {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 0;
}

char32_t hex4(const char* p) {
  return static_cast<char32_t>(hex_value(p[0]) << 12 | hex_value(p[1]) << 8 | hex_value(p[2]) << 4 | hex_value(p[3]));
}

// One escape at `at` (which holds the backslash): its code point, U+FFFD for half a pair, and its length in source bytes.
struct Escape {
  char32_t code_point;
  std::size_t length;
  bool lone_surrogate;
};

Escape read_escape(std::string_view s, std::size_t at) {
  switch (s[at + 1]) {
    case 'b': return {'\b', 2, false};
    case 'f': return {'\f', 2, false};
    case 'n': return {'\n', 2, false};
    case 'r': return {'\r', 2, false};
    case 't': return {'\t', 2, false};
    case 'u': break;
    default: return {static_cast<unsigned char>(s[at + 1]), 2, false};
  }
  const char32_t unit = hex4(s.data() + at + 2);
  if (unit < 0xD800 || unit > 0xDFFF) return {unit, 6, false};
  if (unit < 0xDC00 && at + 12 <= s.size() && s[at + 6] == '\\' && s[at + 7] == 'u') {
    const char32_t low = hex4(s.data() + at + 8);
    if (low >= 0xDC00 && low <= 0xDFFF) return {0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 12, false};
  }
  return {U'\uFFFD', 6, true};
}

// Calls on_text(plain run) and on_escape(escape, its source text) in order.
template <class OnText, class OnEscape>
void walk(std::string_view s, OnText on_text, OnEscape on_escape) {
  std::size_t at = 0;
  while (at < s.size()) {
    const void* hit = std::memchr(s.data() + at, '\\', s.size() - at);
    const std::size_t stop = hit ? static_cast<std::size_t>(static_cast<const char*>(hit) - s.data()) : s.size();
    if (stop > at) on_text(s.substr(at, stop - at));
    if (!hit) break;
    const Escape escape = read_escape(s, stop);
    on_escape(escape, s.substr(stop, escape.length));
    at = stop + escape.length;
  }
}

}  // namespace

void append_unescaped(std::string& out, std::string_view raw) {
  walk(raw, [&](std::string_view text) { out.append(text); },
       [&](const Escape& e, std::string_view) { utf8::append(out, e.code_point); });
}

bool has_lone_surrogate(std::string_view raw) {
  bool found = false;
  walk(raw, [](std::string_view) {}, [&](const Escape& e, std::string_view) { found |= e.lone_surrogate; });
  return found;
}

void append_without_lone_surrogates(std::string& out, std::string_view raw) {
  walk(raw, [&](std::string_view text) { out.append(text); },
       [&](const Escape& e, std::string_view source) {
         if (e.lone_surrogate) utf8::append(out, U'\uFFFD');
         else out.append(source);
       });
}

void append_compact(std::string& out, std::string_view raw) {
  std::size_t at = 0;
  while (at < raw.size()) {
    const char c = raw[at];
    if (c == '"') {
      std::size_t end = at + 1;
      while (end < raw.size() && raw[end] != '"') end += raw[end] == '\\' ? 2 : 1;
      out += '"';
      append_without_lone_surrogates(out, raw.substr(at + 1, end - at - 1));
      out += '"';
      at = end + 1;
      continue;
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
    ++at;
  }
}

std::size_t prefix_bytes(std::string_view raw, std::size_t characters) {
  std::size_t at = 0;
  while (characters > 0 && at < raw.size()) {
    const void* hit = std::memchr(raw.data() + at, '\\', raw.size() - at);
    const std::size_t stop = hit ? static_cast<std::size_t>(static_cast<const char*>(hit) - raw.data()) : raw.size();
    const std::string_view text = raw.substr(at, stop - at);
    const std::size_t in_text = utf8::count(text);
    if (in_text >= characters) return at + utf8::prefix_bytes(text, characters);
    characters -= in_text;
    at = stop;
    if (!hit) break;
    at += read_escape(raw, stop).length;
    --characters;
  }
  return at;
}

std::size_t count_characters(std::string_view raw) {
  std::size_t characters = 0;
  walk(raw, [&](std::string_view text) { characters += utf8::count(text); },
       [&](const Escape&, std::string_view) { ++characters; });
  return characters;
}

}  // namespace magi::json
