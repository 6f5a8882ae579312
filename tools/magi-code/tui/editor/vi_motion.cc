#include "tools/magi-code/tui/editor/vi_motion.h"

#include <algorithm>
#include <string_view>

namespace magi::code::tui {
namespace {

// Words of w, b, e: runs of one kind; of W, B, E: runs of no blanks.
int word_kind(const PromptText& text, std::size_t at, bool big) {
  const int kind = text.kind_at(at);
  return big ? std::min(kind, 1) : kind;
}

std::size_t word_forward(const PromptText& text, std::size_t at, bool big) {
  const int kind = word_kind(text, at, big);
  while (at < text.size() && kind != 0 && word_kind(text, at, big) == kind) at = text.next(at);
  while (at < text.size() && word_kind(text, at, big) == 0) at = text.next(at);
  return at;
}

std::size_t word_backward(const PromptText& text, std::size_t at, bool big) {
  while (at > 0 && word_kind(text, text.before(at), big) == 0) at = text.before(at);
  if (at == 0) return 0;
  const int kind = word_kind(text, text.before(at), big);
  while (at > 0 && word_kind(text, text.before(at), big) == kind) at = text.before(at);
  return at;
}

std::size_t word_end(const PromptText& text, std::size_t at, bool big) {
  at = text.next(at);
  while (at < text.size() && word_kind(text, at, big) == 0) at = text.next(at);
  const int kind = word_kind(text, at, big);
  while (text.next(at) < text.size() && word_kind(text, text.next(at), big) == kind) at = text.next(at);
  return at;
}

bool is_empty_line(const PromptText& text, std::size_t at) { return text.line_begin(at) == text.line_end(at); }

std::size_t paragraph(const PromptText& text, std::size_t at, int direction) {
  bool seen_text = false;
  while (direction < 0 ? at > 0 : at < text.size()) {
    at = direction < 0 ? text.before(at) : text.next(at);
    if (!is_empty_line(text, at)) seen_text = true;
    if (seen_text && is_empty_line(text, at)) break;
  }
  return at;
}

constexpr std::string_view kOpening = "([{<", kClosing = ")]}>";

// The bracket that belongs to the one at `at`.
std::optional<std::size_t> partner(const PromptText& text, std::size_t at) {
  const std::string& raw = text.raw();
  const std::size_t opening = kOpening.find(raw[at]), closing = kClosing.find(raw[at]);
  int depth = 0;
  if (opening != std::string_view::npos) {
    for (std::size_t i = at; i < raw.size(); ++i) {
      if (raw[i] == kOpening[opening]) ++depth;
      if (raw[i] == kClosing[opening] && --depth == 0) return i;
    }
  } else if (closing != std::string_view::npos) {
    for (std::size_t i = at + 1; i-- > 0;) {
      if (raw[i] == kClosing[closing]) ++depth;
      if (raw[i] == kOpening[closing] && --depth == 0) return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> bracket_of_line(const PromptText& text, std::size_t at) {
  const std::size_t end = text.line_end(at);
  const std::size_t found = text.raw().find_first_of("([{)]}", at);
  return found < end ? partner(text, found) : std::nullopt;
}

std::optional<ViRange> word_object(const PromptText& text, std::size_t at, bool around) {
  if (at >= text.size() || text.raw()[at] == '\n') return std::nullopt;
  const std::size_t first = text.line_begin(at), last = text.line_end(at);
  const auto same = [&](std::size_t place, int kind) { return place < last && text.kind_at(place) == kind; };
  const int kind = text.kind_at(at);
  std::size_t begin = at, end = at;
  while (begin > first && same(text.before(begin), kind)) begin = text.before(begin);
  while (same(end, kind)) end = text.next(end);
  if (!around) return ViRange{begin, end};
  const std::size_t word_end = end;
  while (same(end, 0)) end = text.next(end);
  while (end == word_end && begin > first && same(text.before(begin), 0)) begin = text.before(begin);
  return ViRange{begin, end};
}

std::optional<ViRange> quote_object(const PromptText& text, std::size_t at, bool around, char quote) {
  const std::string& raw = text.raw();
  const std::size_t last = text.line_end(at);
  for (std::size_t open = raw.find(quote, text.line_begin(at)); open < last; open = raw.find(quote, open)) {
    const std::size_t close = raw.find(quote, open + 1);
    if (close >= last) return std::nullopt;
    if (close >= at) return around ? ViRange{open, close + 1} : ViRange{open + 1, close};
    open = close + 1;
  }
  return std::nullopt;
}

std::optional<ViRange> bracket_object(const PromptText& text, std::size_t at, bool around, char object) {
  std::size_t which = kOpening.find(object);
  if (which == std::string_view::npos) which = kClosing.find(object);
  if (which == std::string_view::npos || at >= text.size()) return std::nullopt;
  const std::string& raw = text.raw();
  int depth = 0;
  for (std::size_t i = at + 1; i-- > 0;) {
    if (raw[i] == kClosing[which] && i != at) ++depth;
    if (raw[i] != kOpening[which] || depth-- > 0) continue;
    const std::optional<std::size_t> close = partner(text, i);
    if (!close) return std::nullopt;
    return around ? ViRange{i, *close + 1} : ViRange{i + 1, *close};
  }
  return std::nullopt;
}

}  // namespace

std::size_t vi_last_in_line(const PromptText& text, std::size_t at) {
  const std::size_t begin = text.line_begin(at), end = text.line_end(at);
  return end > begin ? text.before(end) : begin;
}

std::size_t vi_first_nonblank(const PromptText& text, std::size_t at) {
  std::size_t place = text.line_begin(at);
  const std::size_t end = text.line_end(at);
  while (place < end && text.kind_at(place) == 0) place = text.next(place);
  return place;
}

std::optional<ViMotion> vi_motion(const PromptText& text, std::size_t at, char motion, int count, bool for_operator) {
  const std::size_t begin = text.line_begin(at), end = text.line_end(at);
  std::size_t to = at;
  const auto repeat = [&](auto step) {
    for (int i = 0; i < count; ++i) to = step(to);
  };
  switch (motion) {
    case 'h': repeat([&](std::size_t p) { return p > begin ? text.before(p) : p; }); return ViMotion{to};
    case 'l':
    case ' ': repeat([&](std::size_t p) { return p < end ? text.next(p) : p; }); return ViMotion{to};
    case 'w':
    case 'W':
      repeat([&](std::size_t p) { return word_forward(text, p, motion == 'W'); });
      // An operator on the last word of a line leaves the line end.
      if (for_operator && to > end && text.line_begin(to) != begin && vi_first_nonblank(text, to) == to) {
        const std::size_t before = text.line_end(text.line_begin(to) > 0 ? text.line_begin(to) - 1 : 0);
        if (before >= at) to = before;
      }
      return ViMotion{to};
    case 'b':
    case 'B': repeat([&](std::size_t p) { return word_backward(text, p, motion == 'B'); }); return ViMotion{to};
    case 'e':
    case 'E': repeat([&](std::size_t p) { return word_end(text, p, motion == 'E'); }); return ViMotion{to, true};
    case '0': return ViMotion{begin};
    case '^': return ViMotion{vi_first_nonblank(text, at)};
    case '$': return ViMotion{end};
    case '{':
    case '}': repeat([&](std::size_t p) { return paragraph(text, p, motion == '{' ? -1 : 1); }); return ViMotion{to};
    case '%':
      if (const std::optional<std::size_t> found = bracket_of_line(text, at)) return ViMotion{*found, true};
      return std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<ViMotion> vi_find(const PromptText& text, std::size_t at, char motion, const std::string& wanted,
                                int count) {
  const bool forward = motion == 'f' || motion == 't';
  const std::size_t begin = text.line_begin(at), end = text.line_end(at);
  std::size_t place = at;
  for (int i = 0; i < count; ++i) {
    do {
      if (forward ? text.next(place) >= end : place == begin) return std::nullopt;
      place = forward ? text.next(place) : text.before(place);
    } while (text.raw().compare(place, wanted.size(), wanted) != 0);
  }
  if (motion == 't') place = text.before(place);
  if (motion == 'T') place = text.next(place);
  return ViMotion{place, forward};
}

std::optional<ViRange> vi_object(const PromptText& text, std::size_t at, bool around, char object) {
  switch (object) {
    case 'w': return word_object(text, at, around);
    case '"':
    case '\'':
    case '`': return quote_object(text, at, around, object);
    case 'b': return bracket_object(text, at, around, '(');
    case 'B': return bracket_object(text, at, around, '{');
    default: return bracket_object(text, at, around, object);
  }
}

}  // namespace magi::code::tui
