#include "tools/magi-tool/text_form.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "libcommon/base/utf8.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kSniffedBytes = 8000;  // as git looks for a NUL byte
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf", kUtf16LeMark = "\xff\xfe", kUtf16BeMark = "\xfe\xff";

std::uint8_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }

// The characters of 0x80 to 0x9f in Windows-1252, as Unicode's mapping table for it has them; 0: none.
constexpr std::array<char16_t, 32> kWindows1252{0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                                0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

// How the bytes beyond ASCII would read as pairs.
struct Pairs {
  bool valid = true;
  std::size_t count = 0, kana = 0, low_trails = 0, late_leads = 0, half_width = 0;
};

// Shift-JIS: leads 81-9f and e0-fc, trails 40-fc without 7f; a1-df stand alone.
Pairs as_shift_jis(std::string_view bytes, bool whole) {
  Pairs pairs;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::uint8_t lead = byte_at(bytes, at);
    if (lead < 0x80) continue;
    if (lead >= 0xa1 && lead <= 0xdf) {
      ++pairs.half_width;
      continue;
    }
    if (++at == bytes.size()) {
      pairs.valid &= !whole;
      break;
    }
    const std::uint8_t trail = byte_at(bytes, at);
    if (lead == 0x80 || lead == 0xa0 || lead > 0xfc || trail < 0x40 || trail == 0x7f || trail > 0xfc)
      pairs.valid = false;
    ++pairs.count;
    pairs.kana += (lead == 0x82 && trail >= 0x9f && trail <= 0xf1) || (lead == 0x83 && trail <= 0x96);
  }
  return pairs;
}

// GB18030: leads 81-fe; trails 40-fe without 7f, or a digit and two bytes more.
Pairs as_gb18030(std::string_view bytes, bool whole) {
  Pairs pairs;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::uint8_t lead = byte_at(bytes, at);
    if (lead < 0x80) continue;
    if (++at == bytes.size()) {
      pairs.valid &= !whole;
      break;
    }
    const std::uint8_t trail = byte_at(bytes, at);
    if (lead == 0x80 || lead == 0xff) pairs.valid = false;
    ++pairs.count;
    if (trail >= '0' && trail <= '9') {
      at += 2;
      continue;
    }
    if (trail < 0x40 || trail == 0x7f || trail == 0xff) pairs.valid = false;
    pairs.low_trails += trail < 0xa1 || lead < 0xa1;
    pairs.kana += lead == 0xa4 || lead == 0xa5;
    pairs.late_leads += lead >= 0xc9 && lead <= 0xf7;
  }
  return pairs;
}

// Letters of western languages stand alone between ASCII ones, mostly; those of other scripts in rows.
Charset as_western(std::string_view bytes) {
  std::size_t high = 0, rows = 0, letters = 0, controls = 0;
  bool before = false, undefined = false;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    const bool is_high = byte >= 0x80;
    high += is_high;
    rows += is_high && !before;
    letters += byte >= 0xc0 || (byte >= 0x80 && byte < 0xa0);
    if (byte >= 0x80 && byte < 0xa0) {
      ++controls;
      undefined |= kWindows1252[byte - 0x80] == 0;
    }
    before = is_high;
  }
  if (undefined || high * 2 > rows * 3 || letters * 2 < high) return Charset::kUnknown;
  return controls > 0 ? Charset::kWindows1252 : Charset::kLatin1;
}

Charset eight_bit_charset(std::string_view bytes, bool whole) {
  const Pairs japanese = as_shift_jis(bytes, whole);
  if (japanese.valid && japanese.count > 0 && japanese.kana * 4 >= japanese.count &&
      japanese.half_width <= japanese.count)
    return Charset::kShiftJis;
  // Leads behind c8 hold half of what Chinese text has and nothing of what Korean has; rows a4 and a5 are kana, which
  // Japanese text in the other encoding of that shape is full of.
  const Pairs chinese = as_gb18030(bytes, whole);
  if (chinese.valid && chinese.count > 1 && chinese.low_trails * 5 <= chinese.count &&
      chinese.kana * 10 <= chinese.count && chinese.late_leads * 5 >= chinese.count)
    return Charset::kGb18030;
  return as_western(bytes);
}

void append_utf16(std::string& out, char32_t code, bool little) {
  const auto unit = [&](char32_t value) {
    const char high = static_cast<char>(value >> 8), low = static_cast<char>(value & 0xff);
    out += little ? low : high;
    out += little ? high : low;
  };
  if (code >= 0x10000) {
    unit(0xd800 + ((code - 0x10000) >> 10));
    unit(0xdc00 + ((code - 0x10000) & 0x3ff));
  } else {
    unit(code);
  }
}

Error not_valid(Charset charset) { return make_error(ErrorCode::kBadRecord, "not valid ", charset_name(charset)); }

Result<std::string> from_utf16(std::string_view bytes, bool little) {
  const Charset charset = little ? Charset::kUtf16Le : Charset::kUtf16Be;
  if (bytes.size() % 2 != 0) return not_valid(charset);
  std::string out;
  out.reserve(bytes.size());
  const auto unit = [&](std::size_t at) {
    const char32_t a = byte_at(bytes, at), b = byte_at(bytes, at + 1);
    return little ? b << 8 | a : a << 8 | b;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    char32_t code = unit(at);
    if (code >= 0xdc00 && code < 0xe000) return not_valid(charset);
    if (code >= 0xd800 && code < 0xdc00) {
      at += 2;
      const char32_t low = at < bytes.size() ? unit(at) : 0;
      if (low < 0xdc00 || low >= 0xe000) return not_valid(charset);
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    utf8::append(out, code);
  }
  return out;
}

Result<std::string> to_utf16(std::string_view text, bool little) {
  std::string out;
  out.reserve(text.size() * 2);
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded one = utf8::decode(text, at);
    if (!one.valid) return not_valid(Charset::kUtf8);
    append_utf16(out, one.code_point, little);
    at += one.length;
  }
  return out;
}

std::string from_western(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    // What has no character there stays as it is in Latin-1; as_western() lets only that through.
    const char16_t special = byte >= 0x80 && byte < 0xa0 ? kWindows1252[byte - 0x80] : 0;
    utf8::append(out, special != 0 ? special : byte);
  }
  return out;
}

Error has_no(Charset charset, std::string_view text, std::size_t at) {
  const utf8::Decoded one = utf8::decode(text, at);
  return make_error(ErrorCode::kUsage, charset_name(charset), " has no character ",
                    quoted(text.substr(at, one.length)));
}

Result<std::string> to_western(std::string_view text, Charset charset) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded one = utf8::decode(text, at);
    const bool same = one.code_point < 0x80 || (one.code_point >= 0xa0 && one.code_point < 0x100);
    if (one.valid && same) {
      out += static_cast<char>(one.code_point);
    } else {
      const auto found = charset == Charset::kWindows1252 && one.valid && one.code_point != 0
                             ? std::find(kWindows1252.begin(), kWindows1252.end(), one.code_point)
                             : kWindows1252.end();
      if (found == kWindows1252.end()) return has_no(charset, text, at);
      out += static_cast<char>(0x80 + (found - kWindows1252.begin()));
    }
    at += one.length;
  }
  return out;
}

// One conversion by the C library.
class Conversion {
 public:
  Conversion(const char* to, const char* from) : handle_(::iconv_open(to, from)) {}
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;
  ~Conversion() {
    if (is_open()) ::iconv_close(handle_);
  }
  bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }
  // Bytes of `in` that were converted: all, or up to the first that could not be.
  std::size_t run(std::string_view in, std::string& out) {
    char* from = const_cast<char*>(in.data());  // iconv does not write there
    std::size_t left = in.size();
    std::array<char, 4096> buffer;
    while (left > 0) {
      char* to = buffer.data();
      std::size_t room = buffer.size();
      const std::size_t done = ::iconv(handle_, &from, &left, &to, &room);
      out.append(buffer.data(), buffer.size() - room);
      if (done == static_cast<std::size_t>(-1) && errno != E2BIG) break;
    }
    return in.size() - left;
  }

 private:
  iconv_t handle_;
};

const char* library_name(Charset charset) { return charset == Charset::kShiftJis ? "CP932" : "GB18030"; }

Error cannot_convert(Charset charset) {
  return make_error(ErrorCode::kBadRecord, "this system cannot convert ", charset_name(charset));
}

Result<std::string> from_library(std::string_view bytes, Charset charset) {
  Conversion conversion("UTF-8", library_name(charset));
  if (!conversion.is_open()) return cannot_convert(charset);
  std::string out;
  if (conversion.run(bytes, out) < bytes.size()) return not_valid(charset);
  return out;
}

Result<std::string> to_library(std::string_view text, Charset charset) {
  Conversion conversion(library_name(charset), "UTF-8");
  if (!conversion.is_open()) return cannot_convert(charset);
  std::string out;
  const std::size_t done = conversion.run(text, out);
  if (done < text.size()) return has_no(charset, text, done);
  return out;
}

Result<std::string> encoded_body(std::string_view text, Charset charset) {
  switch (charset) {
    case Charset::kUtf16Le:
    case Charset::kUtf16Be: return to_utf16(text, charset == Charset::kUtf16Le);
    case Charset::kLatin1:
    case Charset::kWindows1252: return to_western(text, charset);
    case Charset::kShiftJis:
    case Charset::kGb18030: return to_library(text, charset);
    case Charset::kUtf8:
    case Charset::kUnknown:
    case Charset::kBinary: break;
  }
  return std::string(text);
}

}  // namespace

TextForm text_form(std::string_view bytes, bool whole) {
  if (bytes.starts_with(kUtf8Mark)) {
    const TextForm rest = text_form(bytes.substr(kUtf8Mark.size()), whole);
    if (rest.charset == Charset::kUtf8) return {Charset::kUtf8, true};
    return rest.charset == Charset::kBinary ? rest : TextForm{Charset::kUnknown, false};
  }
  // The mark of UTF-32 begins with that of UTF-16.
  if (bytes.starts_with(std::string_view("\xff\xfe\0\0", 4))) return {Charset::kBinary, false};
  if (bytes.starts_with(kUtf16LeMark)) return {Charset::kUtf16Le, true};
  if (bytes.starts_with(kUtf16BeMark)) return {Charset::kUtf16Be, true};
  if (bytes.substr(0, kSniffedBytes).find('\0') != std::string_view::npos) return {Charset::kBinary, false};
  const std::size_t valid = utf8::valid_prefix(bytes);
  if (valid == bytes.size() || (!whole && bytes.size() - valid < 4 && valid > 0)) return {};
  return {eight_bit_charset(bytes, whole), false};
}

std::string_view charset_name(Charset charset) {
  switch (charset) {
    case Charset::kUtf8: return "UTF-8";
    case Charset::kUtf16Le: return "UTF-16 LE";
    case Charset::kUtf16Be: return "UTF-16 BE";
    case Charset::kLatin1: return "Latin-1";
    case Charset::kWindows1252: return "Windows-1252";
    case Charset::kShiftJis: return "Shift-JIS";
    case Charset::kGb18030: return "GB18030";
    case Charset::kUnknown: return "unknown";
    case Charset::kBinary: return "binary";
  }
  return "";
}

std::size_t mark_bytes(const TextForm& form) {
  if (!form.mark) return 0;
  return form.charset == Charset::kUtf8 ? kUtf8Mark.size() : kUtf16LeMark.size();
}

Result<std::string> decoded(std::string_view bytes, const TextForm& form) {
  const std::string_view body = bytes.substr(mark_bytes(form));
  const auto decode = [&]() -> Result<std::string> {
    switch (form.charset) {
      case Charset::kUtf16Le:
      case Charset::kUtf16Be: return from_utf16(body, form.charset == Charset::kUtf16Le);
      case Charset::kLatin1:
      case Charset::kWindows1252: return from_western(body);
      case Charset::kShiftJis:
      case Charset::kGb18030: return from_library(body, form.charset);
      case Charset::kUtf8:
      case Charset::kUnknown:
      case Charset::kBinary: break;
    }
    return std::string(body);
  };
  Result<std::string> text = decode();
  if (!text || form.is_bytes()) return text;
  const Result<std::string> back = encoded_body(*text, form.charset);
  if (!back || *back != body) return not_valid(form.charset);
  return text;
}

Result<std::string> encoded(std::string_view text, const TextForm& form) {
  MAGI_TRY(std::string body, encoded_body(text, form.charset));
  if (!form.mark) return body;
  const std::string_view mark = form.charset == Charset::kUtf8      ? kUtf8Mark
                                : form.charset == Charset::kUtf16Le ? kUtf16LeMark
                                                                    : kUtf16BeMark;
  return std::string(mark) + body;
}

}  // namespace magi::toolbox
