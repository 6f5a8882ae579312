// /diff, the Changes view: the working tree against HEAD, with comments on lines.
#include <algorithm>
#include <functional>

#include "tools/magi-code/tui/panel/diff_rows.h"
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/line_input.h"
#include "tools/magi-code/tui/panel/list_view.h"
#include "tools/magi-code/tui/panel/parts.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "diff";
// Narrower, files and lines take turns.
constexpr int kColumnsForBoth = 72;
constexpr int kMostNumberColumns = 6;

Role role_of(std::string_view status) {
  if (status == "added" || status == "untracked") return Role::kAdded;
  if (status == "deleted") return Role::kRemoved;
  return status == "conflict" ? Role::kError : Role::kText;
}

char letter_of(std::string_view status) {
  if (status == "untracked") return '?';
  if (status == "conflict") return 'U';
  return status.empty() ? ' ' : static_cast<char>(status[0] - 'a' + 'A');
}

class DiffPanel : public Panel {
 public:
  explicit DiffPanel(const PanelContext& context) : keeps_comments_(!context.session_id.empty()) {}

  std::string title() const override {
    std::size_t open = 0;
    for (const ReviewComment& comment : data_.comments)
      if (!comment.resolved) ++open;
    return open == 0 ? "Changes" : "Changes (" + counted(open, "unresolved comment", "unresolved comments") + ")";
  }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) {
      // What is shown stays: an edit that failed is no reason to lose sight of the rest.
      if (state_ == State::kLoading) state_ = State::kFailed, failure_ = loaded.data.error().what;
      message_ = loaded.data.error().what;
      return {};
    }
    if (const auto* worktree = std::get_if<WorktreeData>(&*loaded.data)) show(*worktree);
    if (const auto* comments = std::get_if<CommentsData>(&*loaded.data)) {
      data_.comments = comments->comments;
      add_commented_files();
      rebuild();
    }
    return {};
  }

  PanelAnswer key(const Key& key) override;
  PanelAnswer paste(const Paste& paste) override {
    if (on_text_) input_.paste(paste.text);
    return {};
  }
  PanelAnswer mouse(const Mouse& mouse, Rect area) override;
  void draw(Surface& surface, Rect area) const override;

 private:
  enum class State { kLoading, kReady, kFailed };

  void show(const WorktreeData& worktree) {
    const std::string path = current() ? current()->path : std::string();
    const std::size_t line = lines_.selected();
    data_ = worktree;
    state_ = State::kReady;
    add_commented_files();
    for (std::size_t i = 0; i < data_.files.size(); ++i)
      if (data_.files[i].path == path) files_.select(i);
    rebuild();
    lines_.select(line);
  }
  // A comment stays in sight although its file is as HEAD has it again.
  void add_commented_files() {
    for (const ReviewComment& comment : data_.comments) {
      const auto is_it = [&](const DiffFile& file) { return file.path == comment.path; };
      if (std::none_of(data_.files.begin(), data_.files.end(), is_it)) {
        DiffFile file;
        file.path = comment.path;
        file.note = "no longer changed";
        data_.files.push_back(std::move(file));
      }
    }
    files_.resize(data_.files.size());
  }
  const DiffFile* current() const { return data_.files.empty() ? nullptr : &data_.files[files_.selected()]; }
  void rebuild() {
    rows_ = current() ? rows_of(*current(), data_.comments) : DiffRows();
    lines_.resize(rows_.entries.size());
  }
  const DiffEntry* entry() const { return rows_.entries.empty() ? nullptr : &rows_.entries[lines_.selected()]; }
  const ReviewComment* comment() const {
    const DiffEntry* const at = entry();
    return at && at->comment ? &data_.comments[*at->comment] : nullptr;
  }

  PanelAnswer key_of_dialog(const Key& key);
  PanelAnswer letter(char c);
  void comment_here();
  void change_comment();
  PanelAnswer resolve_comment();
  void delete_comment();
  void jump(bool forward, const std::function<bool(const DiffEntry&)>& wanted);
  std::size_t comments_of(const std::string& path) const;
  void draw_files(Surface& surface, Rect area) const;
  void draw_lines(Surface& surface, Rect area) const;
  Line line_of(const DiffEntry& shown) const;
  Line file_line(const DiffFile& file) const;
  Hints hints() const;

  bool keeps_comments_;
  State state_ = State::kLoading;
  std::string failure_, message_;
  WorktreeData data_;
  ListView files_, lines_;
  bool in_lines_ = false;
  DiffRows rows_;

  std::string dialog_label_;
  LineInput input_{{}, 16 * 1024};
  std::function<PanelAnswer(std::string)> on_text_;
  std::function<PanelAnswer()> on_yes_;
};

PanelAnswer DiffPanel::key_of_dialog(const Key& key) {
  if (on_yes_) {
    const auto on_yes = std::exchange(on_yes_, nullptr);
    return key.code == KeyCode::kText && !key.ctrl && !key.alt && key.text == "y" ? on_yes() : PanelAnswer{};
  }
  if (key.code == KeyCode::kEscape) {
    on_text_ = nullptr;
  } else if (key.code == KeyCode::kEnter) {
    const auto on_text = std::exchange(on_text_, nullptr);
    return on_text(input_.text());
  } else {
    input_.key(key);
  }
  return {};
}

PanelAnswer DiffPanel::key(const Key& key) {
  message_.clear();
  if (on_text_ || on_yes_) return key_of_dialog(key);
  if (key.code == KeyCode::kEscape) return {true, {}};
  if (key.code == KeyCode::kTab || key.code == KeyCode::kEnter) {
    in_lines_ = key.code == KeyCode::kEnter || !in_lines_;
  } else if (key.code == KeyCode::kRight || key.code == KeyCode::kLeft) {
    in_lines_ = key.code == KeyCode::kRight;
  } else if (in_lines_ ? lines_.key(key, true) : files_.key(key, true)) {
    if (!in_lines_) {
      lines_.select(0);
      rebuild();
    }
  } else if (key.code == KeyCode::kText && !key.ctrl && !key.alt && key.text.size() == 1) {
    return letter(key.text[0]);
  }
  return {};
}

PanelAnswer DiffPanel::letter(char c) {
  const auto is_comment = [](const DiffEntry& at) { return at.comment.has_value(); };
  const auto is_hunk = [this](const DiffEntry& at) {
    return at.row != kNoRow && !at.comment && rows_.diff.rows[at.row].kind == DiffRow::Kind::kHunk;
  };
  switch (c) {
    case 'q': return {true, {}};
    case 'r': return {false, opened()};
    case 's': return {true, {InsertText{"#diff-changes "}}};
    case 'j': (in_lines_ ? lines_ : files_).move(1); break;
    case 'k': (in_lines_ ? lines_ : files_).move(-1); break;
    case 'n': jump(true, is_comment); return {};
    case 'p': jump(false, is_comment); return {};
    case ']': jump(true, is_hunk); return {};
    case '[': jump(false, is_hunk); return {};
    case 'c': comment_here(); return {};
    case 'e': change_comment(); return {};
    case 'x': return resolve_comment();
    case 'd': delete_comment(); return {};
    default: return {};
  }
  if (!in_lines_) {
    lines_.select(0);
    rebuild();
  }
  return {};
}

void DiffPanel::comment_here() {
  const DiffEntry* const at = entry();
  if (!keeps_comments_) return void(message_ = "comments are kept with a session, and this one is not kept");
  auto edit = at && in_lines_ && current() ? comment_on(rows_, at->row, current()->path) : std::nullopt;
  if (!edit) return void(message_ = "go to a line first (Enter), then comment on it");
  dialog_label_ = "Comment:";
  input_.set({});
  on_text_ = [edit = *std::move(edit)](std::string text) mutable -> PanelAnswer {
    if (text.find_first_not_of(' ') == std::string::npos) return {};
    edit.text = std::move(text);
    return {false, {std::move(edit)}};
  };
}

void DiffPanel::change_comment() {
  const ReviewComment* const changed = comment();
  if (!changed) return void(message_ = "go to a comment first (n)");
  dialog_label_ = "Comment:";
  input_.set(changed->text);
  on_text_ = [id = changed->id](std::string text) -> PanelAnswer {
    if (text.find_first_not_of(' ') == std::string::npos) return {};
    EditComment edit;
    edit.kind = EditComment::Kind::kChange;
    edit.id = id;
    edit.text = std::move(text);
    return {false, {std::move(edit)}};
  };
}

PanelAnswer DiffPanel::resolve_comment() {
  const ReviewComment* const resolved = comment();
  if (!resolved) return message_ = "go to a comment first (n)", PanelAnswer{};
  EditComment edit;
  edit.kind = resolved->resolved ? EditComment::Kind::kReopen : EditComment::Kind::kResolve;
  edit.id = resolved->id;
  return {false, {std::move(edit)}};
}

void DiffPanel::delete_comment() {
  const ReviewComment* const deleted = comment();
  if (!deleted) return void(message_ = "go to a comment first (n)");
  dialog_label_ = "Delete this comment? y/N";
  on_yes_ = [id = deleted->id]() -> PanelAnswer {
    EditComment edit;
    edit.kind = EditComment::Kind::kDelete;
    edit.id = id;
    return {false, {std::move(edit)}};
  };
}

void DiffPanel::jump(bool forward, const std::function<bool(const DiffEntry&)>& wanted) {
  const auto count = static_cast<std::ptrdiff_t>(rows_.entries.size());
  const std::ptrdiff_t step = forward ? 1 : -1;
  // From the list of files the first line counts too.
  for (auto at = static_cast<std::ptrdiff_t>(lines_.selected()) + (in_lines_ ? step : 0); at >= 0 && at < count;
       at += step) {
    if (!wanted(rows_.entries[static_cast<std::size_t>(at)])) continue;
    in_lines_ = true;
    return lines_.select(static_cast<std::size_t>(at));
  }
  message_ = "no more of them in this file";
}

PanelAnswer DiffPanel::mouse(const Mouse& mouse, Rect) {
  if (on_text_ || on_yes_) return {};
  const int rows = mouse.kind == Mouse::Kind::kWheelUp ? -3 : mouse.kind == Mouse::Kind::kWheelDown ? 3 : 0;
  if (in_lines_) {
    lines_.move(rows);
  } else if (rows != 0) {
    files_.move(rows);
    lines_.select(0);
    rebuild();
  }
  return {};
}

std::size_t DiffPanel::comments_of(const std::string& path) const {
  return static_cast<std::size_t>(std::count_if(data_.comments.begin(), data_.comments.end(), [&](const auto& comment) {
    return comment.path == path && !comment.resolved;
  }));
}

Line DiffPanel::file_line(const DiffFile& file) const {
  Line line(std::string(1, letter_of(file.status)) + " ", {role_of(file.status), true});
  line.add(visible(file.path), {role_of(file.status)});
  if (const std::size_t count = comments_of(file.path); count > 0)
    line.add(" [" + std::to_string(count) + "]", {Role::kWarning});
  if (file.added > 0) line.add(" +" + short_count(file.added), {Role::kAdded});
  if (file.removed > 0) line.add(" -" + short_count(file.removed), {Role::kRemoved});
  return line;
}

void DiffPanel::draw_files(Surface& surface, Rect area) const {
  const std::size_t first = files_.first_of(static_cast<std::size_t>(std::max(area.rows, 1)));
  for (int row = 0; row < area.rows; ++row) {
    const std::size_t at = first + static_cast<std::size_t>(row);
    if (at >= data_.files.size()) break;
    const Rect line{area.row + row, area.column, 1, area.columns};
    surface.put(line, line.row, line.column, shorten(file_line(data_.files[at]), area.columns));
    if (at == files_.selected()) surface.restyle(line, {Role::kSelection, !in_lines_});
  }
}

Line DiffPanel::line_of(const DiffEntry& shown) const {
  if (!shown.comment)
    return draw_diff_row(rows_.diff.rows[shown.row], std::min(rows_.number_columns, kMostNumberColumns),
                         current()->path);
  const ReviewComment& comment = data_.comments[*shown.comment];
  Line line(comment.resolved ? "  = resolved: " : "  # ", {comment.resolved ? Role::kMuted : Role::kWarning, true});
  if (shown.row == kNoRow)
    line.add(comment.line == 0 ? "(its line is gone: " + visible(comment.quoted) + ") "
                               : "(line " + std::to_string(comment.line) + ") ",
             {Role::kMuted});
  return std::move(line.add(visible(comment.text), {comment.resolved ? Role::kMuted : Role::kWarning}));
}

void DiffPanel::draw_lines(Surface& surface, Rect area) const {
  const DiffFile* const file = current();
  if (!file || area.rows < 1) return;
  std::string head = visible(file->path);
  if (!file->old_path.empty()) head = visible(file->old_path) + " -> " + head;
  if (!file->note.empty()) head += "  (" + visible(file->note) + ")";
  surface.put(area, area.row, area.column, shorten_front(head, area.columns), {Role::kHeading, true});
  ++area.row;
  --area.rows;
  if (rows_.entries.empty())
    return draw_message(surface, area, file->binary ? "a binary file" : "nothing to show", {Role::kMuted});
  const std::size_t first = lines_.first_of(static_cast<std::size_t>(std::max(area.rows, 1)));
  for (int row = 0; row < area.rows; ++row) {
    const std::size_t at = first + static_cast<std::size_t>(row);
    if (at >= rows_.entries.size()) break;
    const Rect line{area.row + row, area.column, 1, area.columns};
    surface.put(line, line.row, line.column, shorten(line_of(rows_.entries[at]), area.columns));
    if (in_lines_ && at == lines_.selected()) surface.restyle(line, {Role::kSelection});
  }
}

Hints DiffPanel::hints() const {
  if (!in_lines_)
    return {{"Enter", "lines"}, {"s", "send comments"}, {"r", "look again"}, {"n", "next comment"}, {"Esc", "close"}};
  if (comment())
    return {{"e", "change"},  {"x", comment()->resolved ? "reopen" : "resolve"},
            {"d", "delete"},  {"s", "send"},
            {"Tab", "files"}, {"Esc", "close"}};
  return {{"c", "comment"}, {"n p", "comments"}, {"] [", "hunks"}, {"s", "send"}, {"Tab", "files"}, {"Esc", "close"}};
}

void DiffPanel::draw(Surface& surface, Rect area) const {
  surface.fill(area);
  if (area.rows < 1 || area.columns < 1) return;
  if (state_ == State::kLoading) return draw_message(surface, area, "looking at the working tree...", {Role::kMuted});
  if (state_ == State::kFailed) return draw_message(surface, area, visible(failure_), {Role::kError});
  Rect foot{area.row + area.rows - 1, area.column, 1, area.columns};
  const bool wants_foot = on_text_ || on_yes_ || !message_.empty();
  if (area.rows >= 4 || (wants_foot && area.rows >= 2))
    --area.rows;
  else if (!wants_foot)
    foot.rows = 0;
  if (data_.files.empty()) {
    draw_message(surface, area, data_.note.empty() ? "the working tree is as HEAD has it" : visible(data_.note),
                 {Role::kMuted});
  } else if (area.columns >= kColumnsForBoth) {
    const int columns = area.columns / 3;
    draw_files(surface, {area.row, area.column, area.rows, columns});
    draw_lines(surface, {area.row, area.column + columns + 1, area.rows, area.columns - columns - 1});
  } else if (in_lines_) {
    draw_lines(surface, area);
  } else {
    draw_files(surface, area);
  }
  if (on_text_) return input_.draw(surface, foot, dialog_label_ + " ");
  if (on_yes_ || !message_.empty())
    surface.put(foot, foot.row, foot.column, shorten(visible(on_yes_ ? dialog_label_ : message_), foot.columns),
                {on_yes_ ? Role::kWarning : Role::kAccent});
  else if (!data_.note.empty() && !in_lines_ && foot.columns >= kColumnsForBoth)
    surface.put(foot, foot.row, foot.column, shorten(visible(data_.note), foot.columns), {Role::kWarning});
  else
    draw_hints(surface, foot, hints());
}

}  // namespace

PanelPtr make_diff_panel(const PanelContext& context) { return std::make_unique<DiffPanel>(context); }

}  // namespace magi::code::tui
