#include "tools/magi-code/tui/editor/editor.h"

#include <algorithm>
#include <utility>

#include "tools/magi-code/tui/editor/editor_state.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

using Kind = EditorAnswer::Kind;

EditorAnswer handled() { return {Kind::kHandled, {}}; }

// Puts the chosen candidate in the place of what was typed behind the trigger.
void accept(EditorState& state, bool goes_on) {
  const CompletionList& list = state.completion;
  const std::string chosen = list.chosen().text;
  const bool adds_blank = goes_on && !chosen.ends_with('/');
  state.buffer.replace(list.begin() + 1, state.buffer.cursor(), chosen + (adds_blank ? " " : ""));
}

// Keys of the open list; ignored ones are the editor's.
EditorAnswer completion_key(EditorState& state, const Key& key) {
  CompletionList& list = state.completion;
  const bool plain = !key.ctrl && !key.alt && !key.shift;
  if ((key.code == KeyCode::kUp && plain) || key.is_ctrl('p')) {
    list.choose(-1);
  } else if ((key.code == KeyCode::kDown && plain) || key.is_ctrl('n')) {
    list.choose(1);
  } else if (key.code == KeyCode::kTab && key.shift) {
    list.choose(-1);
  } else if (key.code == KeyCode::kEscape || key.is_ctrl('g')) {
    list.dismiss();
  } else if (key.code == KeyCode::kTab && plain) {
    accept(state, true);
  } else if (key.code == KeyCode::kEnter && plain) {
    if (list.is_complete()) {
      // A command runs; anything else is sent by the next Enter, as it stands here only in passing.
      if (list.trigger() == '/') return {};
      const bool is_end = state.buffer.cursor() == state.buffer.text().size();
      if (is_end) return {};
    }
    const bool runs = list.trigger() == '/' && !list.chosen().more_follows;
    accept(state, !runs);
    if (runs) return {};
  } else {
    return {};
  }
  return handled();
}

EditorAnswer search_key(EditorState& state, const Key& key) {
  PromptHistory& history = state.history;
  Buffer& buffer = state.buffer;
  if (key.code == KeyCode::kText && !key.ctrl && !key.alt) {
    history.search_for(buffer, history.query() + key.text);
  } else if (key.code == KeyCode::kBackspace) {
    std::string query = history.query();
    query.resize(cluster_before(query, query.size()));
    history.search_for(buffer, std::move(query));
  } else if (key.is_ctrl('r') || key.code == KeyCode::kUp) {
    history.search_again(buffer, -1);
  } else if (key.is_ctrl('s') || key.code == KeyCode::kDown) {
    history.search_again(buffer, 1);
  } else if (key.code == KeyCode::kEscape || key.is_ctrl('g') || key.is_ctrl('c')) {
    history.end_search(buffer, false);
  } else if (key.code == KeyCode::kEnter || key.code == KeyCode::kTab) {
    history.end_search(buffer, true);
  } else {
    // Any other key takes what was found and does what it does.
    history.end_search(buffer, true);
    return {};
  }
  return handled();
}

EditorAnswer plain_key(EditorState& state, const Key& key) {
  const auto edit_externally = [&] { return EditorAnswer{Kind::kEditExternally, state.buffer.expanded()}; };
  if (std::exchange(state.after_ctrl_x, false)) {
    if (key.is_ctrl('e')) return edit_externally();
    if (key.is_ctrl('u')) return state.buffer.undo(), handled();
    if (key.is_ctrl('r')) return state.buffer.redo(), handled();
    return handled();
  }
  if (state.vi_on) {
    switch (state.vi.key(state, key)) {
      case ViKeys::Answer::kNotMine: break;
      case ViKeys::Answer::kHandled: return handled();
      case ViKeys::Answer::kIgnored: return {};
      case ViKeys::Answer::kSubmit: return state.submit();
      case ViKeys::Answer::kEditExternally: return edit_externally();
      case ViKeys::Answer::kHistorySearch: return state.history.begin_search(state.buffer), handled();
    }
  }
  if (key.is_ctrl('x')) return state.after_ctrl_x = true, handled();
  if (key.is_ctrl('g')) return edit_externally();
  if (key.is_ctrl('r')) return state.history.begin_search(state.buffer), handled();
  return emacs_key(state, key);
}

EditorAnswer any_key(EditorState& state, const Key& key) {
  if (state.history.searching()) {
    EditorAnswer answer = search_key(state, key);
    if (answer.kind != Kind::kIgnored) return answer;
  } else if (state.completion.is_open()) {
    EditorAnswer answer = completion_key(state, key);
    if (answer.kind != Kind::kIgnored) return answer;
  }
  return plain_key(state, key);
}

void update_completion(EditorState& state, std::uint64_t version, std::size_t cursor) {
  const bool is_other_text = std::exchange(state.history_moved, false) || state.history.searching();
  if (is_other_text || (state.vi_on && state.vi.in_normal_mode())) return state.completion.close();
  const bool typed = state.buffer.version() != version;
  // Moving the cursor narrows or closes a list, and opens none.
  if (!typed && (state.buffer.cursor() == cursor || !state.completion.query())) return;
  state.completion.update(state.buffer.text().raw(), state.buffer.cursor());
}

EditorAnswer single_key(EditorState& state, const Key& key) {
  const std::uint64_t version = state.buffer.version();
  const std::size_t cursor = state.buffer.cursor();
  EditorAnswer answer = any_key(state, key);
  update_completion(state, version, cursor);
  return answer;
}

}  // namespace

PromptKind prompt_kind(std::string_view text) {
  if (text.starts_with('!')) return PromptKind::kShell;
  if (!text.starts_with('/')) return PromptKind::kPrompt;
  // "/usr/lib is full" is no command.
  const std::string_view name = text.substr(1, text.find_first_of(" \t\n", 1) - 1);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  return is_name ? PromptKind::kSlashCommand : PromptKind::kPrompt;
}

bool EditorState::move_row(int direction) {
  rows.update(buffer, columns);
  const Rows::Place place = rows.place_of(buffer, buffer.cursor());
  const int row = place.row + direction;
  if (row < 0 || row >= rows.count()) {
    goal_column = -1;
    history_moved = history.step(buffer, direction);
    return history_moved;
  }
  if (goal_column < 0) goal_column = place.column;
  const int goal = goal_column;
  buffer.move_to(rows.at_column(buffer, row, goal));
  return true;
}

EditorAnswer EditorState::submit() {
  EditorAnswer answer{Kind::kSubmit, buffer.expanded()};
  buffer.reset();
  history.leave();
  completion.close();
  vi.start();
  goal_column = -1;
  return answer;
}

Editor::Editor() : state_(std::make_unique<EditorState>()) {}
Editor::~Editor() = default;
Editor::Editor(Editor&&) noexcept = default;
Editor& Editor::operator=(Editor&&) noexcept = default;

EditorAnswer Editor::key(const Key& key) {
  const bool is_text = key.code == KeyCode::kText && !key.ctrl && !key.alt;
  const auto is_command = [&] { return state_->vi_on && state_->vi.in_normal_mode() && !state_->history.searching(); };
  // Terminals send what was typed fast as one text; to commands each letter of it is a key.
  std::string_view rest = is_text ? key.text : std::string_view();
  while (!rest.empty() && is_command()) {
    const std::size_t size = cluster_at(rest, 0).bytes;
    EditorAnswer answer = single_key(*state_, {KeyCode::kText, std::string(rest.substr(0, size)), false, false, false});
    rest.remove_prefix(size);
    if (rest.empty() || answer.kind != Kind::kHandled) return answer;
  }
  if (!is_text) return single_key(*state_, key);
  return single_key(*state_, {KeyCode::kText, std::string(rest), false, false, key.shift});
}

void Editor::paste(std::string_view text) {
  if (state_->history.searching()) state_->history.end_search(state_->buffer, true);
  state_->goal_column = -1;
  insert(text);
}

void Editor::click(int row, int column) {
  EditorState& s = *state_;
  s.rows.update(s.buffer, s.columns);
  s.goal_column = -1;
  s.buffer.move_to(s.rows.at_column(s.buffer, s.rows.top() + row, column));
  s.completion.update(s.buffer.text().raw(), s.buffer.cursor());
}

std::string Editor::text() const { return state_->buffer.expanded(); }
bool Editor::empty() const { return state_->buffer.text().empty(); }

void Editor::set_text(std::string_view text) {
  state_->buffer.set(text);
  state_->history.leave();
  state_->completion.close();
}

void Editor::insert(std::string_view text) {
  state_->buffer.insert(text);
  state_->completion.update(state_->buffer.text().raw(), state_->buffer.cursor());
}

void Editor::clear() {
  state_->buffer.set({});
  state_->history.leave();
  state_->completion.close();
}

void Editor::set_history(std::vector<std::string> entries) { state_->history.set(std::move(entries)); }
void Editor::remember(std::string_view entry) { state_->history.remember(entry); }

void Editor::use_vi_keys(bool on) {
  state_->vi_on = on;
  state_->buffer.end_groups();
  state_->vi.start();
}

void Editor::set_placeholder(std::string text) { state_->placeholder = std::move(text); }

std::optional<CompletionQuery> Editor::completion_query() const { return state_->completion.query(); }
void Editor::set_candidates(char trigger, std::shared_ptr<const Candidates> candidates) {
  state_->completion.set_candidates(trigger, std::move(candidates));
}
bool Editor::completion_open() const { return state_->completion.is_open(); }
int Editor::completion_rows() const { return state_->completion.rows(); }
void Editor::draw_completion(Surface& surface, Rect area) const { state_->completion.draw(surface, area); }

int Editor::layout(int columns, int most_rows) {
  EditorState& s = *state_;
  s.columns = columns;
  s.rows.update(s.buffer, columns);
  s.view_rows = std::clamp(s.rows.count(), 1, std::max(1, most_rows));
  s.rows.show_cursor(s.buffer, s.view_rows);
  return s.view_rows;
}

void Editor::draw(Surface& surface, Rect area) const {
  const EditorState& s = *state_;
  const PromptText& text = s.buffer.text();
  if (text.empty())
    surface.put(area, area.row, area.column, shorten(visible(s.placeholder), area.columns), {Role::kMuted});
  for (int i = 0; i < area.rows && s.rows.top() + i < s.rows.count(); ++i) {
    const Rows::Row& row = s.rows.row(s.rows.top() + i);
    int column = area.column;
    // Chips stand out from what was typed.
    for (std::size_t at = row.begin; at < row.end;) {
      const bool is_chip = text.is_chip(at);
      std::size_t end = is_chip ? text.next(at) : std::min(text.raw().find('\xFF', at), row.end);
      column = surface.put(area, area.row + i, column, text.shown(at, end), {is_chip ? Role::kAccent : Role::kText});
      at = end;
    }
  }
  const Rows::Place place = s.rows.place_of(s.buffer, s.buffer.cursor());
  const int row = place.row - s.rows.top();
  if (row < 0 || row >= area.rows) return;
  surface.set_cursor(area.row + row, area.column + std::min(place.column, std::max(0, area.columns - 1)));
}

std::string Editor::status() const {
  const EditorState& s = *state_;
  if (s.history.searching()) {
    return (s.history.found() ? "history: " : "not in history: ") + visible(s.history.query());
  }
  if (s.after_ctrl_x) return "Ctrl-X";
  if (s.vi_on) return s.vi.in_normal_mode() ? "normal" : "insert";
  return {};
}

}  // namespace magi::code::tui
