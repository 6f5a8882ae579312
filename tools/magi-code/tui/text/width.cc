#include "tools/magi-code/tui/text/width.h"

#include <utf8proc.h>

#include <algorithm>

#include "libcommon/base/utf8.h"

namespace magi::code::tui {
namespace {

// A cell keeps no more of one cluster: texts of endless joiners would grow without bound.
constexpr std::size_t kMostClusterBytes = 64;

constexpr char32_t kVariation16 = 0xFE0F;
constexpr char32_t kKeycap = 0x20E3;
constexpr char32_t kJoiner = 0x200D;

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F; }

int bound_class(char32_t c) { return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass; }
utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_mark(char32_t c) {
  const auto kind = category(c);
  return (kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME) && !(c >= 0xFE00 && c <= 0xFE0F);
}

bool is_jamo(int boundary) {
  return boundary == UTF8PROC_BOUNDCLASS_L || boundary == UTF8PROC_BOUNDCLASS_V || boundary == UTF8PROC_BOUNDCLASS_T;
}

// Columns of one code point alone.  The library gives 0 to spacing marks and to what it does not know; terminals show
// both.
int code_point_columns(char32_t c) {
  const int columns = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
  if (columns > 0) return std::min(columns, 2);
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO: return 1;
    default: return 0;
  }
}

// What the code points of a cluster add up to.
class Measure {
 public:
  explicit Measure(char32_t first) : boundary_(bound_class(first)) {
    columns_ = most_ = code_point_columns(first);
    uncertain_ = first >= 0x1F000 || boundary_ == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR || is_jamo(boundary_) ||
                 (boundary_ == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC && columns_ == 2) ||
                 category(first) == UTF8PROC_CATEGORY_CN;
  }

  void add(char32_t c) {
    const int boundary = bound_class(c), columns = code_point_columns(c);
    uncertain_ = uncertain_ || !is_mark(c) || columns_ == 0;
    most_ += c == kVariation16 ? 1 : columns;
    if (c == kVariation16) {
      // A digit becomes an emoji only as a keycap, whose mark follows.
      if (boundary_ == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC) columns_ = 2;
      emoji_ = true;
    } else if (c == kKeycap && emoji_) {
      columns_ = 2, uncertain_ = true;
    } else if (boundary == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR) {
      columns_ = 2;
    } else if (boundary == UTF8PROC_BOUNDCLASS_SPACINGMARK) {
      columns_ = std::min(columns_ + columns, 2);
    } else {
      columns_ = std::max(columns_, columns);
    }
  }

  Cluster take(std::size_t bytes) const { return {bytes, columns_, std::max(most_, columns_), uncertain_}; }

 private:
  int boundary_, columns_ = 0, most_ = 0;
  bool uncertain_ = false, emoji_ = false;
};

// Where the code point (or the invalid piece) begins that ends at `at`.
std::size_t piece_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  for (std::size_t back = 2; back <= 4 && back <= at; ++back) {
    if (utf8::decode(text, at - back).length == back) begin = at - back;
  }
  return begin;
}

// No cluster reaches over the place between these two, whatever stands before.
bool always_breaks(const utf8::Decoded& left, const utf8::Decoded& right) {
  if (!left.valid || !right.valid) return true;
  if (left.code_point == kJoiner) return false;
  if (bound_class(left.code_point) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR &&
      bound_class(right.code_point) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR) {
    return false;
  }
  utf8proc_int32_t state = 0;
  return utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(left.code_point),
                                          static_cast<utf8proc_int32_t>(right.code_point), &state);
}

constexpr std::string_view kEllipsis = "…";

}  // namespace

Cluster cluster_at(std::string_view text, std::size_t at) {
  const auto is_ascii = [&](std::size_t i) { return static_cast<unsigned char>(text[i]) < 0x80; };
  if (is_ascii(at) && (at + 1 == text.size() || is_ascii(at + 1))) return {1, is_plain(text[at]), is_plain(text[at])};
  const utf8::Decoded first = utf8::decode(text, at);
  if (!first.valid) return {first.length, 1, 1};
  Measure measure(first.code_point);
  std::size_t end = at + first.length;
  utf8proc_int32_t state = 0;
  auto last = static_cast<utf8proc_int32_t>(first.code_point);
  while (end < text.size()) {
    const utf8::Decoded next = utf8::decode(text, end);
    const auto code_point = static_cast<utf8proc_int32_t>(next.code_point);
    if (!next.valid || utf8proc_grapheme_break_stateful(last, code_point, &state)) break;
    if (end + next.length - at > kMostClusterBytes) break;
    measure.add(next.code_point);
    last = code_point;
    end += next.length;
  }
  return measure.take(end - at);
}

std::size_t cluster_before(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  std::size_t begin = piece_before(text, at);
  while (begin > 0) {
    const std::size_t left = piece_before(text, begin);
    if (always_breaks(utf8::decode(text, left), utf8::decode(text, begin))) break;
    begin = left;
  }
  for (std::size_t next = begin; next < at; next += cluster_at(text, next).bytes) begin = next;
  return begin;
}

int columns_of(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Cluster cluster = cluster_at(text, at);
    columns += cluster.columns;
    at += cluster.bytes;
  }
  return columns;
}

Cut cut_to_columns(std::string_view text, int columns) {
  Cut cut;
  while (cut.bytes < text.size()) {
    const Cluster cluster = cluster_at(text, cut.bytes);
    if (cut.columns + cluster.columns > columns) break;
    cut.bytes += cluster.bytes;
    cut.columns += cluster.columns;
  }
  return cut;
}

std::string shorten(std::string_view text, int columns) {
  if (columns <= 0) return {};
  const Cut whole = cut_to_columns(text, columns);
  if (whole.bytes == text.size()) return std::string(text);
  return std::string(text.substr(0, cut_to_columns(text, columns - 1).bytes)).append(kEllipsis);
}

std::string shorten_front(std::string_view text, int columns) {
  if (columns <= 0) return {};
  if (cut_to_columns(text, columns).bytes == text.size()) return std::string(text);
  std::size_t begin = text.size();
  for (int left = columns - 1; begin > 0;) {
    const std::size_t before = cluster_before(text, begin);
    left -= cluster_at(text, before).columns;
    if (left < 0) break;
    begin = before;
  }
  return std::string(kEllipsis).append(text.substr(begin));
}

std::string pad(std::string_view text, int columns) {
  std::string out = shorten(text, columns);
  out.append(static_cast<std::size_t>(std::max(0, columns - columns_of(out))), ' ');
  return out;
}

std::string pad_left(std::string_view text, int columns) {
  const std::string shown = shorten(text, columns);
  return std::string(static_cast<std::size_t>(std::max(0, columns - columns_of(shown))), ' ').append(shown);
}

}  // namespace magi::code::tui
