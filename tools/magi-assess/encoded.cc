#include "tools/magi-assess/encoded.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/utf8.h"

namespace magi::assess {
namespace {

constexpr std::size_t kLeastBase64 = 24, kLeastHex = 32, kLeastText = 12, kFewestEscapes = 10;

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Words of a language rather than bytes that happen to be valid.
bool is_readable(std::string_view text) {
  if (text.size() < kLeastText || !utf8::is_valid(text)) return false;
  std::size_t letters = 0, odd = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')
      ++letters;
    else if (byte >= 0x80)
      ++letters;
    else if (byte < 0x20 && !is_space(c))
      ++odd;
  }
  return odd * 50 <= text.size() && letters * 2 >= text.size();
}

class Search {
 public:
  explicit Search(std::string_view source) : source_(source) {}

  std::vector<Blob> run() {
    for (at_ = 0; at_ < source_.size();) {
      const std::size_t from = at_;
      const char c = source_[at_];
      if (c == '%' || c == '\\' || c == '&')
        take_escapes(c);
      else if (base64_value(c) >= 0)
        take_run();
      if (at_ == from) ++at_;
    }
    return std::move(blobs_);
  }

 private:
  void add(std::size_t begin, std::string text, std::string_view rule) {
    if (is_readable(text))
      blobs_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_), std::move(text), rule});
  }

  // A run of the base64 alphabet; line breaks inside a longer one belong to it.
  void take_run() {
    const std::size_t begin = at_;
    std::string run;
    bool is_hex = true;
    std::size_t line = 0;
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (base64_value(c) >= 0) {
        is_hex = is_hex && hex_value(c) >= 0;
        run += c;
        ++line;
        ++at_;
        continue;
      }
      // Wrapped at a fixed width; bytes in hexadecimal may stand apart.
      const bool wraps = (c == '\n' || c == '\r') && line >= 40;
      const bool apart = c == ' ' && is_hex && run.size() >= 2 && line == 2;
      if (!wraps && !apart) break;
      std::size_t next = at_;
      while (next < source_.size() && is_space(source_[next])) ++next;
      if (next >= source_.size() || base64_value(source_[next]) < 0) break;
      if (apart && (next + 1 >= source_.size() || hex_value(source_[next]) < 0 || hex_value(source_[next + 1]) < 0))
        break;
      at_ = next;
      line = 0;
    }
    if (is_hex && run.size() >= kLeastHex && run.size() % 2 == 0)
      return add(begin, from_hex(run), "encoded.hexadecimal");
    if (run.size() >= kLeastBase64) add(begin, from_base64(run), "encoded.base64");
  }

  static std::string from_hex(std::string_view run) {
    std::string text;
    for (std::size_t i = 0; i + 1 < run.size(); i += 2)
      text += static_cast<char>(hex_value(run[i]) << 4 | hex_value(run[i + 1]));
    return text;
  }

  static std::string from_base64(std::string_view run) {
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : run) {
      bits = bits << 6 | static_cast<std::uint32_t>(base64_value(c));
      if ((count += 6) < 8) continue;
      count -= 8;
      text += static_cast<char>(bits >> count & 0xFF);
    }
    return text;
  }

  // %69, \x69, \u0069, &#105; or &#x69;, where they spell most of a text.
  void take_escapes(char kind) {
    const std::size_t begin = at_;
    std::string text;
    std::size_t escapes = 0, plain = 0;
    while (at_ < source_.size()) {
      if (const auto c = escape(kind)) {
        utf8_or_byte(text, *c, kind);
        ++escapes;
        plain = 0;
      } else if (plain < 2 && source_[at_] != '\n' && source_[at_] != '"') {
        text += source_[at_++];
        ++plain;
      } else {
        break;
      }
    }
    if (escapes >= kFewestEscapes) return add(begin, std::move(text), "encoded.escapes");
    at_ = begin;
  }

  static void utf8_or_byte(std::string& text, char32_t c, char kind) {
    if (kind == '%' || c < 0x80)
      text += static_cast<char>(c);
    else
      utf8::append(text, c);
  }

  std::optional<char32_t> escape(char kind) {
    if (source_[at_] != kind) return std::nullopt;
    if (kind == '%') return number(1, 2, 16, false);
    if (kind == '\\') {
      const char form = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
      if (form == 'x') return number(2, 2, 16, false);
      if (form == 'u') return number(2, 4, 16, false);
      return std::nullopt;
    }
    if (source_.substr(at_).starts_with("&#x")) return number(3, 6, 16, true);
    if (source_.substr(at_).starts_with("&#")) return number(2, 7, 10, true);
    return std::nullopt;
  }

  // Digits at `skip`: exactly `digits`, or up to as many and a semicolon.
  std::optional<char32_t> number(std::size_t skip, std::size_t digits, int base, bool closed) {
    char32_t value = 0;
    std::size_t count = 0;
    for (; count < digits && at_ + skip + count < source_.size(); ++count) {
      const int digit = hex_value(source_[at_ + skip + count]);
      if (digit < 0 || digit >= base) break;
      value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    }
    if (count == 0 || (!closed && count != digits) || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
      return std::nullopt;
    std::size_t end = at_ + skip + count;
    if (closed) {
      if (end >= source_.size() || source_[end] != ';') return std::nullopt;
      ++end;
    }
    at_ = end;
    return value;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::vector<Blob> blobs_;
};

}  // namespace

std::vector<Blob> find_encoded(std::string_view source) { return Search(source).run(); }

}  // namespace magi::assess
