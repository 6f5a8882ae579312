#include "tools/magi-code/tui/text/visible.h"

#include <utf8proc.h>

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

// Vietnamese needs two, Tibetan and pointed Hebrew up to five or so.
constexpr int kMostMarks = 8;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kDottedCircle = "\xE2\x97\x8C";

bool within(char c, unsigned char low, unsigned char high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

// The end of a string for the terminal that begins at `at`: BEL, ESC \ or U+009C; npos where none comes on its line.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\a') return at + 1;
    if (c == '\n' || c == '\r') break;
    if (c == '\033') return at + 1 < text.size() && text[at + 1] == '\\' ? at + 2 : std::string_view::npos;
    if (c == '\xC2' && at + 1 < text.size() && text[at + 1] == '\x9C') return at + 2;
  }
  return std::string_view::npos;
}

// Behind the escape sequence that begins at text[at] == ESC; `at` where it is none.
std::size_t escape_end(std::string_view text, std::size_t at) {
  std::size_t next = at + 1;
  if (next == text.size()) return at;
  const char kind = text[next];
  if (kind == '[') {
    ++next;
    while (next < text.size() && within(text[next], 0x30, 0x3F)) ++next;
    while (next < text.size() && within(text[next], 0x20, 0x2F)) ++next;
    return next < text.size() && within(text[next], 0x40, 0x7E) ? next + 1 : next;
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    const std::size_t end = string_end(text, next + 1);
    return end == std::string_view::npos ? next + 1 : end;
  }
  while (next < text.size() && within(text[next], 0x20, 0x2F)) ++next;
  return next < text.size() && within(text[next], 0x30, 0x7E) ? next + 1 : at;
}

enum class Fate { kKeep, kReplace, kDrop, kBlank, kJoins, kMark };

Fate fate_of(char32_t c) {
  if (c < 0xA0) return Fate::kReplace;
  if (c < 0x300) return c == 0xAD ? Fate::kDrop : Fate::kKeep;
  if (c == 0x200C || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F)) return Fate::kJoins;
  if (c == 0x2028 || c == 0x2029) return Fate::kBlank;
  if (c == 0x200B || c == 0x200E || c == 0x200F || c == 0x061C || c == 0x180E || c == 0xFEFF ||
      (c >= 0x2060 && c <= 0x2064)) {
    return Fate::kDrop;
  }
  if ((c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || (c >= 0xE0000 && c <= 0xE0FFF)) return Fate::kReplace;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CS:
      // Arabic and Brahmi number signs are of this kind and visible.
      return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass == UTF8PROC_BOUNDCLASS_PREPEND
                 ? Fate::kKeep
                 : Fate::kReplace;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME: return Fate::kMark;
    default: return Fate::kKeep;
  }
}

class Cleaner {
 public:
  Cleaner(std::string_view text, int column, bool keeps_layout)
      : text_(text), column_(column), keeps_layout_(keeps_layout) {
    out_.reserve(text.size());
  }

  std::string run() {
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t plain = at;
      while (plain < text_.size() && within(text_[plain], 0x20, 0x7E)) ++plain;
      if (plain > at) {
        out_.append(text_.substr(at, plain - at));
        base_ = true, marks_ = 0;
      }
      at = plain < text_.size() ? special(plain) : plain;
    }
    return std::move(out_);
  }

 private:
  // What stands at `at`, a control character or the start of a character beyond ASCII; the place behind it.
  std::size_t special(std::size_t at) {
    const char c = text_[at];
    if (static_cast<unsigned char>(c) >= 0x80) return wide(at);
    if (c == '\033') {
      const std::size_t end = escape_end(text_, at);
      if (end > at) return end;
    }
    if (c == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n') return at + 1;
    if (c == '\n') {
      put(keeps_layout_ ? "\n" : " ");
    } else if (c == '\t') {
      tab();
    } else {
      put(c == 0x7F ? std::string_view("\xE2\x90\xA1") : picture(c));
    }
    base_ = false;
    return at + 1;
  }

  std::size_t wide(std::size_t at) {
    const utf8::Decoded d = utf8::decode(text_, at);
    const std::string_view bytes = text_.substr(at, d.length);
    switch (d.valid ? fate_of(d.code_point) : Fate::kReplace) {
      case Fate::kKeep: put(bytes); break;
      case Fate::kReplace: put(kReplacement); break;
      case Fate::kBlank: put(" "); break;
      case Fate::kDrop: break;
      case Fate::kJoins:
        if (base_ && ++marks_ <= kMostMarks) out_.append(bytes);
        break;
      case Fate::kMark:
        if (!base_) put(kDottedCircle);
        if (++marks_ <= kMostMarks) out_.append(bytes);
        break;
    }
    return at + d.length;
  }

  void tab() {
    if (keeps_layout_) return put("\t");
    // Columns behind the last tab are counted from there; a line of many tabs is measured once.
    column_ += columns_of(std::string_view(out_).substr(measured_));
    const int blanks = kTabColumns - column_ % kTabColumns;
    out_.append(static_cast<std::size_t>(blanks), ' ');
    column_ += blanks;
    measured_ = out_.size();
  }

  std::string_view picture(char c) {
    picture_ = "\xE2\x90";
    picture_ += static_cast<char>(0x80 + c);
    return picture_;
  }

  void put(std::string_view bytes) {
    out_.append(bytes);
    base_ = true, marks_ = 0;
  }

  std::string_view text_;
  int column_;
  bool keeps_layout_;
  std::string out_, picture_;
  std::size_t measured_ = 0;
  bool base_ = false;  // something stands before that marks and joiners belong to
  int marks_ = 0;
};

}  // namespace

std::string visible(std::string_view text, int column) { return Cleaner(text, column, false).run(); }

std::string visible_text(std::string_view text) { return Cleaner(text, 0, true).run(); }

std::vector<std::string> visible_lines(std::string_view text, BareReturn bare) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (end < text.size() && line.ends_with('\r')) line.remove_suffix(1);
    if (bare == BareReturn::kStartOver) {
      // A CR at the very end has not started anything over yet.
      while (line.ends_with('\r')) line.remove_suffix(1);
      if (const std::size_t start = line.rfind('\r'); start != std::string_view::npos) line.remove_prefix(start + 1);
    }
    lines.push_back(visible(line));
    at = end + 1;
  }
  return lines;
}

}  // namespace magi::code::tui
