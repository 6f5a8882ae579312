#include "tools/magi-code/tui/app/approval.h"

#include <algorithm>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {
namespace {

bool is_letter(const Key& key, char c) {
  return key.code == KeyCode::kText && !key.ctrl && !key.alt && key.text.size() == 1 && key.text[0] == c;
}

void add_text(std::vector<Line>& lines, std::string_view text, Style style, int columns, int indent) {
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  const Indent margin{Line(blanks), Line(blanks)};
  for (const std::string& line : visible_lines(text))
    for (Line& row : wrap_exact(Line(line, style), columns, margin)) lines.push_back(std::move(row));
}

Line choices() {
  Line line;
  const auto choice = [&line](const char* key, const char* meaning) {
    line.add(std::string(" ") + key + " ", {Role::kAccent, true}).add(std::string(meaning) + "  ");
  };
  choice("y", "allow once");
  choice("s", "for this session");
  choice("p", "by pattern");
  choice("n", "refuse");
  return line;
}

}  // namespace

ApprovalCard::ApprovalCard(ApprovalRequest request, std::int64_t now_ms)
    : request_(std::move(request)), appeared_ms_(now_ms) {}

AnswerApproval ApprovalCard::answer(std::string decision, std::string text) const {
  return {request_.call_id, std::move(decision), std::move(text)};
}

std::optional<AnswerApproval> ApprovalCard::key(const Key& key) {
  if (typing_ != Typing::kNothing) {
    EditorAnswer said = line_.key(key);
    if (said.kind != EditorAnswer::Kind::kSubmit) return std::nullopt;
    return answer(typing_ == Typing::kPattern ? "allow_pattern" : "deny", std::move(said.text));
  }
  if (is_letter(key, 'y')) return answer("allow");
  if (is_letter(key, 's')) return answer("allow_session");
  if (is_letter(key, 'n') || is_letter(key, 'p')) {
    typing_ = is_letter(key, 'n') ? Typing::kReason : Typing::kPattern;
    line_.clear();
    line_.set_placeholder(typing_ == Typing::kReason ? "why not (the model reads it); Enter refuses"
                                                     : "a rule, as in permissions.allow; Enter allows");
  }
  const int last = std::max(0, static_cast<int>(lines_.size()) - body_rows_);
  if (key.code == KeyCode::kUp || key.code == KeyCode::kPageUp)
    first_ = std::max(0, first_ - (key.code == KeyCode::kUp ? 1 : body_rows_));
  if (key.code == KeyCode::kDown || key.code == KeyCode::kPageDown)
    first_ = std::min(last, first_ + (key.code == KeyCode::kDown ? 1 : body_rows_));
  return std::nullopt;
}

void ApprovalCard::paste(const std::string& text) { line_.paste(text); }

bool ApprovalCard::escape() { return std::exchange(typing_, Typing::kNothing) != Typing::kNothing; }

std::vector<Line> ApprovalCard::body(int columns) const {
  std::vector<Line> lines;
  add_text(lines, request_.arguments, {Role::kCode}, columns, 0);
  add_text(lines, request_.reason, {Role::kMuted}, columns, 0);
  return lines;
}

int ApprovalCard::layout(int columns, int most_rows) {
  constexpr int kFrame = 2, kChoices = 1;
  lines_ = body(std::max(1, columns - 4));
  const int wish = static_cast<int>(lines_.size()) + kFrame + kChoices;
  const int rows = std::min(wish, most_rows);
  body_rows_ = std::max(0, rows - kFrame - kChoices);
  first_ = std::clamp(first_, 0, std::max(0, static_cast<int>(lines_.size()) - body_rows_));
  if (typing_ != Typing::kNothing) (void)line_.layout(std::max(1, columns - 4), 1);
  return rows;
}

void ApprovalCard::draw(Surface& surface, Rect area, bool armed) const {
  if (area.rows < 3) {
    surface.put(area, area.row, area.column, Line("allow " + visible(request_.name) + "? y/n", {Role::kWarning, true}));
    return;
  }
  const Rect inside =
      surface.frame(area, Line(" allow " + visible(request_.name) + "? ", {Role::kWarning, true}), {Role::kWarning});
  const Rect text{inside.row, inside.column + 1, inside.rows, std::max(0, inside.columns - 2)};
  for (int row = 0; row < body_rows_ && first_ + row < static_cast<int>(lines_.size()); ++row)
    surface.put(text, text.row + row, text.column, lines_[static_cast<std::size_t>(first_ + row)]);
  const int last = text.row + text.rows - 1;
  if (typing_ != Typing::kNothing) return line_.draw(surface, {last, text.column, 1, text.columns});
  Line line = choices();
  if (first_ + body_rows_ < static_cast<int>(lines_.size())) line.add("  \u2193 more", {Role::kMuted});
  if (!armed)
    for (Span& span : line.spans) span.style = {Role::kMuted};
  surface.put(text, last, text.column, line);
}

}  // namespace magi::code::tui
