#include "tools/magi-web/charset.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>

#include "libcommon/base/utf8.h"

namespace magi::web {
namespace {

constexpr std::string_view kUtf8 = "UTF-8";
constexpr std::string_view kWestern = "WINDOWS-1252";
constexpr std::size_t kLookedAt = 4096;  // of the bytes, for a meta element

struct Label {
  std::string_view label, encoding;
};

// What the Encoding Standard of the WHATWG calls each, and what iconv does.  A server does not choose what iconv loads.
constexpr Label kLabels[] = {
    {"utf-8", kUtf8},
    {"utf8", kUtf8},
    {"us-ascii", kWestern},
    {"ascii", kWestern},
    {"iso-8859-1", kWestern},
    {"latin1", kWestern},
    {"windows-1252", kWestern},
    {"cp1252", kWestern},
    {"iso-8859-2", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-9", "WINDOWS-1254"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"windows-874", "CP874"},
    {"tis-620", "CP874"},
    {"windows-1250", "WINDOWS-1250"},
    {"windows-1251", "WINDOWS-1251"},
    {"windows-1253", "WINDOWS-1253"},
    {"windows-1254", "WINDOWS-1254"},
    {"windows-1255", "WINDOWS-1255"},
    {"windows-1256", "WINDOWS-1256"},
    {"windows-1257", "WINDOWS-1257"},
    {"windows-1258", "WINDOWS-1258"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"ibm866", "IBM866"},
    {"macintosh", "MACINTOSH"},
    {"gbk", "GB18030"},
    {"gb2312", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"euc-jp", "EUC-JP"},
    {"shift_jis", "CP932"},
    {"sjis", "CP932"},
    {"shift-jis", "CP932"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"euc-kr", "CP949"},
    {"ks_c_5601-1987", "CP949"},
    {"utf-16", "UTF-16LE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view known(std::string_view label) {
  for (const Label& one : kLabels)
    if (one.label == label) return one.encoding;
  return {};
}

// The value behind "charset=" in lower-case text; quotes are dropped.
std::string_view after_charset(std::string_view text) {
  std::size_t at = text.find("charset");
  if (at == std::string_view::npos) return {};
  at = text.find_first_not_of(" \t\r\n", at + 7);
  if (at == std::string_view::npos || text[at] != '=') return {};
  at = text.find_first_not_of(" \t\r\n\"'", at + 1);
  if (at == std::string_view::npos) return {};
  return text.substr(at, std::min(text.find_first_of(" \t\r\n\"';,/>", at), text.size()) - at);
}

std::string_view from_meta(const std::string& start) {
  for (std::size_t at = start.find("<meta"); at != std::string::npos; at = start.find("<meta", at + 5)) {
    const std::size_t end = start.find('>', at);
    const std::string_view found = known(after_charset(std::string_view(start).substr(at, end - at)));
    // What says it in ASCII cannot be UTF-16.
    if (!found.empty()) return found.starts_with("UTF-16") ? kUtf8 : found;
  }
  return {};
}

class Converter {
 public:
  explicit Converter(const std::string& from) : handle_(iconv_open("UTF-8", from.c_str())) {}
  ~Converter() {
    if (usable()) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  bool usable() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  std::string convert(std::string_view bytes) {
    std::string out;
    char* in = const_cast<char*>(bytes.data());
    std::size_t left = bytes.size();
    while (left > 0) {
      char piece[4096];
      char* to = piece;
      std::size_t room = sizeof piece;
      const std::size_t done = iconv(handle_, &in, &left, &to, &room);
      const int why = errno;
      out.append(piece, sizeof piece - room);
      if (done != static_cast<std::size_t>(-1) || why == E2BIG) continue;
      utf8::append(out, 0xFFFD);
      ++in;
      --left;
    }
    return out;
  }

 private:
  iconv_t handle_;
};

}  // namespace

std::string media_type(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && (content_type.back() == ' ' || content_type.back() == '\t'))
    content_type.remove_suffix(1);
  while (!content_type.empty() && content_type.front() == ' ') content_type.remove_prefix(1);
  return lower(content_type);
}

std::string_view encoding_of(std::string_view bytes, std::string_view content_type, bool is_html) {
  if (bytes.starts_with("\xef\xbb\xbf")) return kUtf8;
  if (bytes.starts_with("\xff\xfe")) return "UTF-16LE";
  if (bytes.starts_with("\xfe\xff")) return "UTF-16BE";
  if (const std::string_view said = known(after_charset(lower(content_type))); !said.empty()) return said;
  if (is_html)
    if (const std::string_view said = from_meta(lower(bytes.substr(0, kLookedAt))); !said.empty()) return said;
  // The last character of a page that was cut may be half there.
  constexpr std::size_t kMayBeCut = 1000;
  const std::size_t valid = utf8::valid_prefix(bytes);
  const bool is_half = bytes.size() > kMayBeCut && valid + 4 > bytes.size() && valid < bytes.size() &&
                       utf8::decode(bytes, valid).length == bytes.size() - valid;
  return valid == bytes.size() || is_half ? kUtf8 : kWestern;
}

std::string to_utf8(std::string_view bytes, std::string_view encoding) {
  if (bytes.starts_with("\xef\xbb\xbf"))
    bytes.remove_prefix(3);
  else if ((bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) && encoding.starts_with("UTF-16"))
    bytes.remove_prefix(2);
  if (encoding == kUtf8) return utf8::sanitize(bytes);
  Converter converter{std::string(encoding)};
  return converter.usable() ? converter.convert(bytes) : utf8::sanitize(bytes);
}

}  // namespace magi::web
