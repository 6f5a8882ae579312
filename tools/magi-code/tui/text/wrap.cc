#include "tools/magi-code/tui/text/wrap.h"

#include <algorithm>
#include <string>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr int kLeastColumns = 8;

// Where lines may break between two clusters that no blank parts.
bool is_opening(std::string_view c) {
  for (std::string_view one : {"(", "[", "{", "“", "‘", "「", "『", "（", "《", "〈", "【"}) {
    if (c == one) return true;
  }
  return false;
}
bool is_closing(std::string_view c) {
  for (std::string_view one : {")",  "]",  "}",  ",",  ".",  ";",  ":",  "!",  "?",  "”",  "’",  "」", "』", "）",
                               "》", "〉", "】", "、", "。", "，", "．", "！", "？", "：", "；", "…",  "ー", "々"}) {
    if (c == one) return true;
  }
  return false;
}

bool may_break(std::string_view left, const Cluster& left_size, std::string_view right, const Cluster& right_size) {
  if (left == " ") return right != " ";
  if (right == " ") return false;
  if (left == "-" || left == "–" || left == "—") return right_size.columns > 0 && right != left && !is_closing(right);
  return (left_size.columns == 2 || right_size.columns == 2) && !is_opening(left) && !is_closing(right);
}

// Breaks one text; `exact` at the edge, else between words.
class Breaker {
 public:
  Breaker(std::string_view text, int first, int rest, bool exact)
      : text_(text), columns_(std::max(1, first)), rest_(std::max(1, rest)), exact_(exact) {}

  std::vector<std::size_t> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const Cluster size = cluster_at(text_, at);
      const std::string_view cluster = text_.substr(at, size.bytes);
      if (!exact_ && at > starts_.back() && may_break(last_, last_size_, cluster, size)) {
        chance_ = at, width_at_chance_ = width_;
      }
      const bool hangs = !exact_ && cluster == " ";
      if (width_ + size.columns > columns_ && !hangs && at > starts_.back()) break_before(at);
      width_ += size.columns;
      last_ = cluster, last_size_ = size;
      at += size.bytes;
    }
    return std::move(starts_);
  }

 private:
  void break_before(std::size_t at) {
    if (chance_ > starts_.back()) {
      width_ -= width_at_chance_;
      starts_.push_back(chance_);
      columns_ = rest_;
      // A long word behind the chance may fill more than the new row.
      if (width_ + cluster_at(text_, at).columns > columns_ && at > starts_.back()) split_from(at);
      return;
    }
    starts_.push_back(at);
    columns_ = rest_, width_ = 0;
  }

  void split_from(std::size_t at) {
    int width = 0;
    for (std::size_t next = starts_.back(); next < at;) {
      const Cluster size = cluster_at(text_, next);
      if (width + size.columns > columns_ && next > starts_.back()) starts_.push_back(next), width = 0;
      width += size.columns;
      next += size.bytes;
    }
    width_ = width;
    if (width_ + cluster_at(text_, at).columns > columns_) starts_.push_back(at), width_ = 0;
  }

  std::string_view text_, last_;
  Cluster last_size_;
  int columns_, rest_, width_ = 0, width_at_chance_ = 0;
  bool exact_;
  std::size_t chance_ = 0;
  std::vector<std::size_t> starts_{0};
};

// The part of `line` (whose texts together are `whole`) from byte `begin` to `end`.
void append_part(Line& out, const Line& line, std::size_t begin, std::size_t end) {
  std::size_t at = 0;
  for (const Span& span : line.spans) {
    const std::size_t from = std::max(begin, at), to = std::min(end, at + span.text.size());
    if (from < to) out.add(span.text.substr(from - at, to - from), span.style);
    at += span.text.size();
  }
}

// A wide cluster has no place in a single column.
void blank_wide(Line& line) {
  for (Span& span : line.spans) {
    if (columns_of(span.text) > 1) span.text.assign(1, ' ');
  }
}

std::vector<Line> wrap_line(const Line& line, int columns, const Indent& indent, bool exact) {
  columns = std::max(1, columns);
  const int widest = std::max(columns_of(indent.first), columns_of(indent.rest));
  const bool indented = widest > 0 && columns - widest >= kLeastColumns;
  const int first = columns - (indented ? columns_of(indent.first) : 0);
  const int rest = columns - (indented ? columns_of(indent.rest) : 0);
  const std::string whole = plain_text(line);
  const std::vector<std::size_t> starts = Breaker(whole, first, rest, exact).run();
  std::vector<Line> out(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::size_t end = i + 1 < starts.size() ? starts[i + 1] : whole.size();
    // Blanks hang over the edge: those that a break replaces, and at the end those that do not fit.
    if (!exact) {
      const bool is_last = i + 1 == starts.size();
      const int room = i == 0 ? first : rest;
      const std::size_t fitting =
          starts[i] + cut_to_columns(std::string_view(whole).substr(starts[i], end - starts[i]), room).bytes;
      while (end > starts[i] && whole[end - 1] == ' ' && (!is_last || end > fitting)) --end;
    }
    if (indented) out[i] = i == 0 ? indent.first : indent.rest;
    append_part(out[i], line, starts[i], end);
    if (columns == 1) blank_wide(out[i]);
  }
  return out;
}

}  // namespace

std::vector<Line> wrap(const Line& line, int columns, const Indent& indent) {
  return wrap_line(line, columns, indent, false);
}

std::vector<Line> wrap_exact(const Line& line, int columns, const Indent& indent) {
  return wrap_line(line, columns, indent, true);
}

std::vector<std::size_t> row_starts(std::string_view text, int columns) {
  return Breaker(text, columns, columns, false).run();
}

int columns_of(const Line& line) {
  if (line.spans.size() == 1) return columns_of(line.spans[0].text);
  return columns_of(plain_text(line));
}

Line shorten(const Line& line, int columns) {
  const std::string whole = plain_text(line);
  if (cut_to_columns(whole, columns).bytes == whole.size()) return line;
  Line out;
  if (columns <= 0) return out;
  append_part(out, line, 0, cut_to_columns(whole, columns - 1).bytes);
  return out.add("…", line.spans.empty() || out.spans.empty() ? Style{} : out.spans.back().style);
}

std::string plain_text(const Line& line) {
  std::string text;
  for (const Span& span : line.spans) text += span.text;
  return text;
}

}  // namespace magi::code::tui
