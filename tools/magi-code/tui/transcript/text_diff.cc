// Differences of texts, and of words within lines.
#include <algorithm>

#include "tools/magi-code/tui/transcript/common_parts.h"
#include "tools/magi-code/tui/transcript/diff_view.h"
#include "tools/magi-code/tui/transcript/limits.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kMostDifferences = 400, kLongestLine = 2000;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    lines.push_back(text.substr(0, newline));
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return lines;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Words, and every other byte alone, as where they begin; the last is the end.
std::vector<std::uint32_t> words_of(std::string_view line) {
  std::vector<std::uint32_t> begins;
  for (std::size_t at = 0; at < line.size();) {
    begins.push_back(static_cast<std::uint32_t>(at));
    if (is_word(line[at++]))
      while (at < line.size() && is_word(line[at])) ++at;
  }
  begins.push_back(static_cast<std::uint32_t>(line.size()));
  return begins;
}

// What of `line` is not in `kept`, as ranges of bytes.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges(const std::vector<std::uint32_t>& words,
                                                            const std::vector<bool>& kept) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (kept[i]) continue;
    if (!out.empty() && out.back().second == words[i])
      out.back().second = words[i + 1];
    else
      out.emplace_back(words[i], words[i + 1]);
  }
  return out;
}

void mark_pair(DiffRow& removed, DiffRow& added) {
  if (removed.text.size() > kLongestLine || added.text.size() > kLongestLine) return;
  const auto before = words_of(removed.text), after = words_of(added.text);
  const auto word = [](const std::string& text, const std::vector<std::uint32_t>& begins, std::size_t i) {
    return std::string_view(text).substr(begins[i], begins[i + 1] - begins[i]);
  };
  const auto pairs = common_parts(
      before.size() - 1, after.size() - 1,
      [&](std::size_t i, std::size_t k) { return word(removed.text, before, i) == word(added.text, after, k); }, 200);
  std::vector<bool> kept_before(before.size()), kept_after(after.size());
  std::size_t kept = 0;
  for (const auto& [i, k] : pairs) {
    kept_before[i] = kept_after[k] = true;
    if (const std::string_view text = word(removed.text, before, i); text != " ") kept += text.size();
  }
  // Lines that share little are not one line that changed.
  if (3 * kept < std::min(removed.text.size(), added.text.size())) return;
  removed.changed = ranges(before, kept_before);
  added.changed = ranges(after, kept_after);
}

class Builder {
 public:
  Builder(std::int64_t first_line, int context) : line_(first_line), context_(static_cast<std::size_t>(context)) {}

  void same(std::string_view text) {
    rows_.push_back({DiffRow::Kind::kContext, std::string(text), number(old_), number(new_), {}});
    ++old_, ++new_;
  }
  void removed(std::string_view text) {
    rows_.push_back({DiffRow::Kind::kRemoved, std::string(text), number(old_++), 0, {}});
  }
  void added(std::string_view text) {
    rows_.push_back({DiffRow::Kind::kAdded, std::string(text), 0, number(new_++), {}});
  }

  // Without the unchanged lines that are far from any change.
  DiffText take() {
    std::vector<bool> near(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].kind == DiffRow::Kind::kContext) continue;
      const std::size_t begin = i - std::min(i, context_), end = std::min(rows_.size(), i + context_ + 1);
      std::fill(near.begin() + static_cast<std::ptrdiff_t>(begin), near.begin() + static_cast<std::ptrdiff_t>(end),
                true);
    }
    const auto last = std::find(near.rbegin(), near.rend(), true).base() - near.begin();
    DiffText out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(last); ++i) {
      if (near[i]) {
        out.added += rows_[i].kind == DiffRow::Kind::kAdded;
        out.removed += rows_[i].kind == DiffRow::Kind::kRemoved;
        out.rows.push_back(std::move(rows_[i]));
      } else if (!out.rows.empty() && out.rows.back().kind != DiffRow::Kind::kHunk) {
        out.rows.push_back({DiffRow::Kind::kHunk, "", 0, 0, {}});
      }
    }
    return out;
  }

 private:
  std::int64_t number(std::int64_t offset) const { return line_ > 0 ? line_ + offset : 0; }

  const std::int64_t line_;
  const std::size_t context_;
  std::int64_t old_ = 0, new_ = 0;
  std::vector<DiffRow> rows_;
};

}  // namespace

DiffText diff_texts(std::string_view old_text, std::string_view new_text, std::int64_t first_line, int context) {
  const auto before = lines_of(old_text), after = lines_of(new_text);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (before.size() <= limit::kDiffLinesCompared && after.size() <= limit::kDiffLinesCompared)
    pairs = common_parts(
        before.size(), after.size(), [&](std::size_t i, std::size_t k) { return before[i] == after[k]; },
        kMostDifferences);
  Builder builder(first_line, context);
  std::size_t i = 0, k = 0;
  for (const auto& [same_old, same_new] : pairs) {
    for (; i < same_old; ++i) builder.removed(before[i]);
    for (; k < same_new; ++k) builder.added(after[k]);
    builder.same(before[i]);
    ++i, ++k;
  }
  for (; i < before.size(); ++i) builder.removed(before[i]);
  for (; k < after.size(); ++k) builder.added(after[k]);
  DiffText out = builder.take();
  mark_changed_words(out);
  return out;
}

void mark_changed_words(DiffText& diff) {
  auto& rows = diff.rows;
  for (std::size_t at = 0; at < rows.size();) {
    std::size_t removed = at;
    while (removed < rows.size() && rows[removed].kind == DiffRow::Kind::kRemoved) ++removed;
    std::size_t added = removed;
    while (added < rows.size() && rows[added].kind == DiffRow::Kind::kAdded) ++added;
    for (std::size_t i = 0; at + i < removed && removed + i < added; ++i) mark_pair(rows[at + i], rows[removed + i]);
    at = std::max(added, at + 1);
  }
}

}  // namespace magi::code::tui
