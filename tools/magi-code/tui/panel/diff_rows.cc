#include "tools/magi-code/tui/panel/diff_rows.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

using Kind = DiffRow::Kind;

constexpr std::size_t kNeighbours = 3;
constexpr std::string_view kNew = "new", kOld = "old";

bool is_line(const DiffRow& row) {
  return row.kind == Kind::kContext || row.kind == Kind::kAdded || row.kind == Kind::kRemoved;
}
bool stands_now(const DiffRow& row) { return row.kind == Kind::kContext || row.kind == Kind::kAdded; }

std::size_t row_of(const DiffText& diff, const ReviewComment& comment) {
  if (comment.line == 0) return kNoRow;
  const bool old = comment.side == kOld;
  for (std::size_t i = 0; i < diff.rows.size(); ++i) {
    const DiffRow& row = diff.rows[i];
    if (old ? row.kind == Kind::kRemoved && row.old_line == comment.line
            : stands_now(row) && row.new_line == comment.line)
      return i;
  }
  return kNoRow;
}

}  // namespace

DiffRows rows_of(const DiffFile& file, const std::vector<ReviewComment>& comments) {
  DiffRows out;
  out.diff = parse_unified(file.patch);
  mark_changed_words(out.diff);
  out.number_columns = number_columns(out.diff);
  std::vector<std::pair<std::size_t, std::size_t>> placed;  // row, comment
  for (std::size_t i = 0; i < comments.size(); ++i) {
    if (comments[i].path != file.path) continue;
    const std::size_t row = row_of(out.diff, comments[i]);
    if (row == kNoRow)
      out.entries.push_back({kNoRow, i});
    else
      placed.emplace_back(row, i);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto next = placed.begin();
  for (std::size_t row = 0; row < out.diff.rows.size(); ++row) {
    out.entries.push_back({row, std::nullopt});
    for (; next != placed.end() && next->first == row; ++next) out.entries.push_back({row, next->second});
  }
  return out;
}

std::optional<EditComment> comment_on(const DiffRows& rows, std::size_t row, const std::string& path) {
  const auto& all = rows.diff.rows;
  if (row >= all.size() || !is_line(all[row])) return std::nullopt;
  EditComment edit;
  edit.path = path;
  const bool old = all[row].kind == Kind::kRemoved;
  edit.side = old ? kOld : kNew;
  edit.line = old ? all[row].old_line : all[row].new_line;
  if (edit.line == 0) return std::nullopt;
  edit.quoted = all[row].text;
  // Neighbours are lines of the working tree: the anchor is looked for there.
  for (std::size_t i = row; i-- > 0 && is_line(all[i]) && edit.before.size() < kNeighbours;)
    if (stands_now(all[i])) edit.before.insert(edit.before.begin(), all[i].text);
  for (std::size_t i = row + 1; i < all.size() && is_line(all[i]) && edit.after.size() < kNeighbours; ++i)
    if (stands_now(all[i])) edit.after.push_back(all[i].text);
  return edit;
}

}  // namespace magi::code::tui
