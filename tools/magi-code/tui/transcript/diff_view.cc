#include "tools/magi-code/tui/transcript/diff_view.h"

#include <algorithm>
#include <charconv>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/transcript/code_lines.h"

namespace magi::code::tui {
namespace {

struct Hunk {
  std::int64_t old_line = 0, old_count = 1, new_line = 0, new_count = 1;
};

bool read_number(std::string_view& text, std::int64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || out < 0 || out > INT32_MAX) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool read_side(std::string_view& text, char sign, std::int64_t& line, std::int64_t& count) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  if (!read_number(text, line)) return false;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  return read_number(text, count);
}

// "@@ -1,2 +3,4 @@ heading"
bool read_hunk(std::string_view line, Hunk& hunk) {
  if (!line.starts_with("@@ ")) return false;
  line.remove_prefix(3);
  if (!read_side(line, '-', hunk.old_line, hunk.old_count) || !line.starts_with(' ')) return false;
  line.remove_prefix(1);
  return read_side(line, '+', hunk.new_line, hunk.new_count) && line.starts_with(" @@");
}

bool is_file_header(std::string_view line) {
  for (const std::string_view head :
       {"diff ", "index ", "--- ", "+++ ", "rename ", "copy ", "similarity ", "dissimilarity ", "new file mode ",
        "deleted file mode ", "old mode ", "new mode "})
    if (line.starts_with(head)) return true;
  return false;
}

class Parser {
 public:
  DiffText parse(std::string_view patch) {
    while (!patch.empty()) {
      const std::size_t newline = patch.find('\n');
      std::string_view line = patch.substr(0, newline);
      patch.remove_prefix(newline == std::string_view::npos ? patch.size() : newline + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!in_hunk() || !hunk_line(line)) other_line(line);
    }
    mark_changed_words(out_);
    return std::move(out_);
  }

 private:
  using Kind = DiffRow::Kind;

  bool in_hunk() const { return hunk_.old_count > 0 || hunk_.new_count > 0; }
  void add(Kind kind, std::string_view text, std::int64_t old_line = 0, std::int64_t new_line = 0) {
    out_.rows.push_back({kind, std::string(text), old_line, new_line, {}});
  }

  bool hunk_line(std::string_view line) {
    const char sign = line.empty() ? ' ' : line[0];
    const std::string_view text = line.empty() ? line : line.substr(1);
    if (sign == '+' && hunk_.new_count > 0) {
      --hunk_.new_count;
      ++out_.added;
      add(Kind::kAdded, text, 0, hunk_.new_line++);
    } else if (sign == '-' && hunk_.old_count > 0) {
      --hunk_.old_count;
      ++out_.removed;
      add(Kind::kRemoved, text, hunk_.old_line++, 0);
    } else if (sign == ' ' && hunk_.old_count > 0 && hunk_.new_count > 0) {
      --hunk_.old_count, --hunk_.new_count;
      add(Kind::kContext, text, hunk_.old_line++, hunk_.new_line++);
    } else {
      if (sign != '\\') hunk_ = {0, 0, 0, 0};
      return false;
    }
    return true;
  }

  void other_line(std::string_view line) {
    Hunk hunk;
    if (read_hunk(line, hunk)) {
      hunk_ = hunk;
      return add(Kind::kHunk, line);
    }
    add(is_file_header(line) ? Kind::kFile : Kind::kNote, line);
  }

  Hunk hunk_{0, 0, 0, 0};
  DiffText out_;
};

Role role_of(DiffRow::Kind kind) {
  switch (kind) {
    case DiffRow::Kind::kAdded: return Role::kAdded;
    case DiffRow::Kind::kRemoved: return Role::kRemoved;
    case DiffRow::Kind::kHunk: return Role::kAccent;
    case DiffRow::Kind::kFile: return Role::kTitle;
    case DiffRow::Kind::kNote: return Role::kMuted;
    case DiffRow::Kind::kContext: break;
  }
  return Role::kCode;
}

std::string number(std::int64_t line, int columns) {
  return pad_left(line > 0 ? std::to_string(line) : std::string(), columns);
}

void add_changed(Line& out, const DiffRow& row, Style style) {
  std::uint32_t at = 0;
  int column = 0;
  const auto piece = [&](std::uint32_t begin, std::uint32_t end, bool changed) {
    if (begin >= end) return;
    const std::string safe = visible(std::string_view(row.text).substr(begin, end - begin), column);
    column += columns_of(safe);
    Style with = style;
    with.reverse = changed;
    append_text(out, safe, with);
  };
  const auto size = static_cast<std::uint32_t>(row.text.size());
  for (const auto& [begin, end] : row.changed) {
    if (begin < at || end > size) continue;
    piece(at, begin, false);
    piece(begin, end, true);
    at = end;
  }
  piece(at, size, false);
}

}  // namespace

DiffText parse_unified(std::string_view patch) { return Parser().parse(patch); }

int number_columns(const DiffText& diff) {
  std::int64_t largest = 0;
  for (const DiffRow& row : diff.rows) largest = std::max({largest, row.old_line, row.new_line});
  return largest > 0 ? static_cast<int>(std::to_string(largest).size()) : 0;
}

Line draw_diff_row(const DiffRow& row, int number_columns, std::string_view language) {
  Line line;
  const Style style{role_of(row.kind)};
  const bool is_line =
      row.kind == DiffRow::Kind::kAdded || row.kind == DiffRow::Kind::kRemoved || row.kind == DiffRow::Kind::kContext;
  if (!is_line) {
    append_text(line, row.text.empty() ? "⋯" : visible(row.text), style);
    return line;
  }
  if (number_columns > 0)
    append_text(line, number(row.old_line, number_columns) + " " + number(row.new_line, number_columns) + " ",
                {Role::kMuted});
  append_text(line,
              row.kind == DiffRow::Kind::kAdded     ? "+ "
              : row.kind == DiffRow::Kind::kRemoved ? "- "
                                                    : "  ",
              style);
  if (row.kind != DiffRow::Kind::kContext) {
    add_changed(line, row, style);
    return line;
  }
  syntax::State state;
  const syntax::Language* const known = language.empty() ? nullptr : syntax::find_language(language);
  for (Span& span : colour_line(row.text, known, state).spans) append_text(line, span.text, span.style);
  return line;
}

}  // namespace magi::code::tui
