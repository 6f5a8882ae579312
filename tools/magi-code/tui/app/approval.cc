#include "tools/magi-code/tui/app/approval.h"

#include <algorithm>

#include "libcommon/event/names.h"
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

void add_fact(std::vector<Line>& lines, const char* name, std::string_view value, int columns) {
  if (value.empty()) return;
  Line line;
  line.add(std::string(name) + " ", {Role::kMuted}).add(visible(value));
  for (Line& row : wrap_exact(line, columns)) lines.push_back(std::move(row));
}

Role role_of_diff(std::string_view line) {
  if (line.starts_with('+')) return Role::kAdded;
  if (line.starts_with('-')) return Role::kRemoved;
  return line.starts_with("@@") ? Role::kMuted : Role::kText;
}

void add_diff(std::vector<Line>& lines, std::string_view diff, int columns) {
  if (diff.empty()) return;
  for (const std::string& line : visible_lines(diff))
    for (Line& row : wrap_exact(Line(line, {role_of_diff(line)}), columns)) lines.push_back(std::move(row));
}

// What is asked, in a few words.
std::string question(const ApprovalRequest& request) {
  if (request.kind == "command") return "run this command?";
  if (request.kind == "write") return "write this file?";
  if (request.kind == "edit") return "change this file?";
  if (request.kind == "read") return "read this file?";
  if (request.kind == "web") return "fetch this page?";
  if (request.kind == kTrustQuestion) return "trust what this project's settings ask for?";
  if (request.kind == event::name::kResult) return "show this result to the model?";
  return "allow " + visible(request.name) + "?";
}

Line choices(const ApprovalRequest& request) {
  Line line;
  const auto choice = [&line](const char* key, const char* meaning) {
    line.add(std::string(key) + " ", {Role::kAccent, true}).add(std::string(meaning) + "   ");
  };
  if (request.kind == kTrustQuestion) {
    choice("y", "trust exactly this");
    choice("n", "leave it out of force");
    return line;
  }
  choice("y", "allow once");
  choice("s", "for the session");
  if (!request.pattern.empty()) choice("p", "by rule");
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
    if (said.kind == EditorAnswer::Kind::kIgnored && key.code == KeyCode::kEnter)
      said.kind = EditorAnswer::Kind::kSubmit;
    if (said.kind != EditorAnswer::Kind::kSubmit) return std::nullopt;
    return answer(typing_ == Typing::kPattern ? "allow_pattern" : "deny", std::move(said.text));
  }
  if (is_letter(key, 'y')) return answer("allow");
  if (is_trust_question()) return is_letter(key, 'n') ? std::optional(answer("deny")) : std::nullopt;
  if (is_letter(key, 's')) return answer("allow_session");
  if (is_letter(key, 'n')) begin_typing(Typing::kReason, {});
  if (is_letter(key, 'p') && !request_.pattern.empty()) begin_typing(Typing::kPattern, request_.pattern);
  const int last = std::max(0, static_cast<int>(lines_.size()) - body_rows_);
  if (key.code == KeyCode::kUp || key.code == KeyCode::kPageUp)
    first_ = std::max(0, first_ - (key.code == KeyCode::kUp ? 1 : body_rows_));
  if (key.code == KeyCode::kDown || key.code == KeyCode::kPageDown)
    first_ = std::min(last, first_ + (key.code == KeyCode::kDown ? 1 : body_rows_));
  return std::nullopt;
}

void ApprovalCard::begin_typing(Typing what, std::string_view text) {
  typing_ = what;
  line_.set_text(text);
  line_.set_placeholder(what == Typing::kReason ? "why not: the model reads it; Enter refuses" : "Enter allows");
}

void ApprovalCard::paste(const std::string& text) { line_.paste(text); }

bool ApprovalCard::escape() { return std::exchange(typing_, Typing::kNothing) != Typing::kNothing; }

std::vector<Line> ApprovalCard::body(int columns) const {
  std::vector<Line> lines;
  if (!request_.command.empty()) add_text(lines, request_.command, {Role::kCode, true}, columns, 0);
  add_fact(lines, "file", request_.path, columns);
  add_fact(lines, "host", request_.host, columns);
  add_diff(lines, request_.diff, columns);
  if (request_.command.empty() && request_.diff.empty() && request_.path.empty())
    add_text(lines, request_.arguments, {Role::kCode}, columns, 0);
  add_fact(lines, "in", request_.cwd, columns);
  if (request_.unconfined.value_or(false))
    lines.emplace_back("nothing confines it: it may do all that you may", Style{Role::kWarning, true});
  else
    add_fact(lines, "confined:", request_.confinement, columns);
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
    surface.put(area, area.row, area.column, Line(question(request_) + " y/n", {Role::kWarning, true}));
    return;
  }
  const Rect inside =
      surface.frame(area, Line(" " + question(request_) + " ", {Role::kWarning, true}), {Role::kWarning});
  const Rect text{inside.row, inside.column + 1, inside.rows, std::max(0, inside.columns - 2)};
  for (int row = 0; row < body_rows_ && first_ + row < static_cast<int>(lines_.size()); ++row)
    surface.put(text, text.row + row, text.column, lines_[static_cast<std::size_t>(first_ + row)]);
  const int last = text.row + text.rows - 1;
  if (typing_ != Typing::kNothing) return line_.draw(surface, {last, text.column, 1, text.columns});
  Line line = choices(request_);
  if (first_ + body_rows_ < static_cast<int>(lines_.size())) line.add("  \u2193 more", {Role::kMuted});
  if (!armed)
    for (Span& span : line.spans) span.style = {Role::kMuted};
  surface.put(text, last, text.column, line);
}

}  // namespace magi::code::tui
