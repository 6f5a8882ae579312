#include "tools/magi-code/tui/editor/vi_keys.h"

#include <algorithm>
#include <utility>

#include "tools/magi-code/tui/editor/editor_state.h"

namespace magi::code::tui {
namespace {

constexpr int kMostCount = 10'000;

std::size_t cursor_of(const EditorState& state) { return state.buffer.cursor(); }

}  // namespace

int ViKeys::count() const {
  const std::int64_t product = std::int64_t{std::max(1, count_)} * std::max(1, operator_count_);
  return static_cast<int>(std::min<std::int64_t>(product, kMostCount));
}

void ViKeys::finish() {
  count_ = operator_count_ = 0;
  operator_ = pending_ = 0;
}

void ViKeys::start() {
  finish();
  normal_ = in_insert_group_ = false;
  typed_.clear();
}

void ViKeys::insert_mode(EditorState& state) {
  normal_ = false;
  if (!in_insert_group_) state.buffer.begin_group();
  in_insert_group_ = true;
}

void ViKeys::normal_mode(EditorState& state) {
  normal_ = true;
  if (in_insert_group_) state.buffer.end_group();
  in_insert_group_ = false;
  finish();
  const PromptText& text = state.buffer.text();
  if (cursor_of(state) > text.line_begin(cursor_of(state))) state.buffer.left();
}

ViKeys::Answer ViKeys::key(EditorState& state, const Key& key) {
  if (!replaying_) typed_.push_back(key);
  if (!normal_) {
    const bool leaves = key.code == KeyCode::kEscape || key.is_ctrl('[');
    if (!leaves) return Answer::kNotMine;
    // What is typed from the very start of a prompt belongs to no command that could be repeated.
    const bool by_command = in_insert_group_;
    normal_mode(state);
    if (!replaying_ && by_command) change_ = typed_;
    typed_.clear();
    return Answer::kHandled;
  }
  const std::uint64_t before = state.buffer.version();
  const Answer answer = normal_key(state, key);
  const PromptText& text = state.buffer.text();
  if (normal_) state.buffer.move_to(std::min(cursor_of(state), vi_last_in_line(text, cursor_of(state))));
  const bool is_over = normal_ && operator_ == 0 && pending_ == 0 && count_ == 0;
  if (is_over && !replaying_) {
    const bool is_change = before != state.buffer.version() && key.code == KeyCode::kText && !key.ctrl &&
                           key.text != "u" && key.text != ".";
    if (is_change) change_ = typed_;
    typed_.clear();
  }
  return answer;
}

ViKeys::Answer ViKeys::normal_key(EditorState& state, const Key& key) {
  if (pending_ != 0) {
    if (key.code != KeyCode::kText || key.ctrl || key.alt || !pending_key(state, key)) finish();
    return Answer::kHandled;
  }
  const auto plain = [&](char c) { return command(state, c); };
  switch (key.code) {
    case KeyCode::kEscape: {
      const bool had = operator_ != 0 || count_ != 0;
      finish();
      return had ? Answer::kHandled : Answer::kIgnored;
    }
    case KeyCode::kEnter: return Answer::kSubmit;
    case KeyCode::kBackspace:
    case KeyCode::kLeft: return key.ctrl || key.alt ? plain('b') : plain('h');
    case KeyCode::kRight: return key.ctrl || key.alt ? plain('w') : plain('l');
    case KeyCode::kUp: return plain('k');
    case KeyCode::kDown: return plain('j');
    case KeyCode::kHome: return plain('0');
    case KeyCode::kEnd: return plain('$');
    case KeyCode::kDelete: return plain('x');
    case KeyCode::kText: break;
    default: return Answer::kIgnored;
  }
  if (key.is_ctrl('r')) return state.buffer.redo(), finish(), Answer::kHandled;
  if (key.ctrl || key.alt) return Answer::kNotMine;
  return key.text.size() == 1 ? command(state, key.text[0]) : Answer::kHandled;
}

ViKeys::Answer ViKeys::command(EditorState& state, char c) {
  if ((c >= '1' && c <= '9') || (c == '0' && count_ > 0)) {
    count_ = std::min(kMostCount, count_ * 10 + (c - '0'));
    return Answer::kHandled;
  }
  if (begin_pending(c) || motion(state, c)) return Answer::kHandled;
  if (c == 'd' || c == 'c' || c == 'y') {
    if (operator_ == c) {
      std::size_t last = cursor_of(state);
      const PromptText& text = state.buffer.text();
      for (int i = 1; i < count(); ++i) last = std::min(text.line_end(last) + 1, text.size());
      apply_lines(state, cursor_of(state), last);
    } else if (operator_ == 0) {
      operator_ = c;
      operator_count_ = std::exchange(count_, 0);
    } else {
      finish();
    }
    return Answer::kHandled;
  }
  if (operator_ == 0) {
    if (c == '/') return finish(), Answer::kHistorySearch;
    if (c == 'v') return finish(), Answer::kEditExternally;
    change(state, c);
  }
  if (normal_) finish();
  return Answer::kHandled;
}

bool ViKeys::begin_pending(char c) {
  const bool is_object = operator_ != 0 && (c == 'i' || c == 'a');
  const bool is_other = c == 'f' || c == 'F' || c == 't' || c == 'T' || c == 'g' || (c == 'r' && operator_ == 0);
  if (is_object || is_other) pending_ = c;
  return is_object || is_other;
}

bool ViKeys::pending_key(EditorState& state, const Key& key) {
  const char pending = std::exchange(pending_, 0);
  const PromptText& text = state.buffer.text();
  const std::size_t at = cursor_of(state);
  if (pending == 'g') {
    if (key.text != "g") return false;
    move(state, {0, false, true});
  } else if (pending == 'r') {
    std::size_t end = at;
    std::string piece;
    for (int i = 0; i < count(); ++i) {
      if (end >= text.line_end(at)) return false;
      end = text.next(end);
      piece += key.text;
    }
    state.buffer.replace(at, end, piece);
    state.buffer.left();
    finish();
  } else if (pending == 'i' || pending == 'a') {
    const std::optional<ViRange> range = vi_object(text, at, pending == 'a', key.text[0]);
    if (!range) return false;
    apply_range(state, range->begin, range->end, false);
  } else {
    find_motion_ = pending, find_wanted_ = key.text;
    const std::optional<ViMotion> found = vi_find(text, at, pending, key.text, count());
    if (!found) return false;
    move(state, *found);
  }
  return true;
}

bool ViKeys::motion(EditorState& state, char c) {
  const PromptText& text = state.buffer.text();
  const std::size_t at = cursor_of(state);
  if (c == 'j' || c == 'k' || c == '+' || c == '-') return vertical(state, c == 'j' || c == '+' ? 1 : -1);
  if (c == 'G') return move(state, {text.size(), false, true}), true;
  std::optional<ViMotion> found;
  if ((c == ';' || c == ',') && find_motion_ != 0) {
    const bool is_small = find_motion_ >= 'a';
    const char turned = static_cast<char>(is_small ? find_motion_ - 'a' + 'A' : find_motion_ - 'A' + 'a');
    found = vi_find(text, at, c == ';' ? find_motion_ : turned, find_wanted_, count());
  } else if (operator_ == 'c' && (c == 'w' || c == 'W') && text.kind_at(at) != 0) {
    // cw changes to the end of the word and leaves the blank behind it; `e` would leave a word of one letter.
    const std::size_t end =
        c == 'w' ? vi_object(text, at, false, 'w').value_or(ViRange{at, at}).end : text.word_end_after(at, true);
    found = count() == 1 ? ViMotion{end} : vi_motion(text, at, c == 'w' ? 'e' : 'E', count(), true);
  } else {
    found = vi_motion(text, at, c, count(), operator_ != 0);
  }
  if (!found) return false;
  return move(state, *found), true;
}

// Without an operator rows of the screen, and the history at their ends; with one whole lines.
bool ViKeys::vertical(EditorState& state, int direction) {
  const PromptText& text = state.buffer.text();
  if (operator_ != 0) {
    std::size_t to = cursor_of(state);
    for (int i = 0; i < count(); ++i) {
      const std::size_t edge = direction < 0 ? text.line_begin(to) : text.line_end(to);
      if (edge == (direction < 0 ? 0 : text.size())) return finish(), true;
      to = direction < 0 ? edge - 1 : edge + 1;
    }
    return move(state, {to, false, true}), true;
  }
  for (int i = count(); i > 0 && state.move_row(direction); --i) continue;
  finish();
  return true;
}

void ViKeys::move(EditorState& state, const ViMotion& motion) {
  if (operator_ != 0) return apply(state, motion);
  state.goal_column = -1;
  const PromptText& text = state.buffer.text();
  state.buffer.move_to(motion.by_lines ? vi_first_nonblank(text, motion.to) : motion.to);
  finish();
}

void ViKeys::apply(EditorState& state, const ViMotion& motion) {
  const std::size_t at = cursor_of(state);
  if (motion.by_lines) return apply_lines(state, std::min(at, motion.to), std::max(at, motion.to));
  const std::size_t begin = std::min(at, motion.to);
  std::size_t end = std::max(at, motion.to);
  if (motion.inclusive) end = state.buffer.text().next(end);
  apply_range(state, begin, end, false);
}

void ViKeys::apply_lines(EditorState& state, std::size_t from, std::size_t to) {
  const PromptText& text = state.buffer.text();
  std::size_t begin = text.line_begin(from), end = text.line_end(to);
  lines_killed_ = state.buffer.slice(begin, end) + '\n';
  if (operator_ == 'd') {
    // With the line end behind it, or at the end of the text the one before it.
    if (end < text.size()) {
      ++end;
    } else if (begin > 0) {
      --begin;
    }
  }
  apply_range(state, begin, end, true);
}

void ViKeys::apply_range(EditorState& state, std::size_t begin, std::size_t end, bool by_lines) {
  const char wanted = std::exchange(operator_, 0);
  finish();
  state.buffer.add_killed(by_lines ? lines_killed_ : state.buffer.slice(begin, end));
  if (wanted == 'c') insert_mode(state);
  if (wanted != 'y') state.buffer.erase(begin, end);
  state.buffer.move_to(begin);
  if (wanted == 'd' && by_lines) state.buffer.move_to(vi_first_nonblank(state.buffer.text(), begin));
}

bool ViKeys::put(EditorState& state, bool behind) {
  Buffer& buffer = state.buffer;
  const PromptText& text = buffer.text();
  const std::string piece(buffer.killed());
  if (piece.empty()) return false;
  const std::size_t at = cursor_of(state);
  std::string all;
  for (int i = 0; i < count(); ++i) all += piece;
  if (piece == lines_killed_) {
    std::size_t place = behind ? text.line_end(at) : text.line_begin(at);
    if (behind) {
      all.insert(0, 1, '\n');
      all.pop_back();
    }
    buffer.replace(place, place, all);
    buffer.move_to(behind ? place + 1 : place);
  } else {
    const std::size_t place = behind && at < text.line_end(at) ? text.next(at) : at;
    buffer.replace(place, place, all);
    buffer.left();
  }
  return true;
}

void ViKeys::join_lines(EditorState& state) {
  Buffer& buffer = state.buffer;
  const std::size_t end = buffer.text().line_end(cursor_of(state));
  if (end == buffer.text().size()) return;
  std::size_t next = end + 1;
  while (next < buffer.text().line_end(end + 1) && buffer.text().kind_at(next) == 0) next = buffer.text().next(next);
  buffer.replace(end, next, " ");
  buffer.move_to(end);
}

void ViKeys::swap_case(EditorState& state) {
  Buffer& buffer = state.buffer;
  const std::size_t at = cursor_of(state);
  std::size_t end = at;
  for (int i = 0; i < count() && end < buffer.text().line_end(at); ++i) end = buffer.text().next(end);
  std::string piece = buffer.slice(at, end);
  for (char& c : piece) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter) c = static_cast<char>(c ^ 0x20);
  }
  buffer.replace(at, end, piece);
}

bool ViKeys::change(EditorState& state, char c) {
  Buffer& buffer = state.buffer;
  const PromptText& text = buffer.text();
  const std::size_t at = cursor_of(state), begin = text.line_begin(at), end = text.line_end(at);
  const auto operate = [&](char op, std::size_t from, std::size_t to) {
    operator_ = op;
    apply_range(state, from, to, false);
  };
  const auto insert_at = [&](std::size_t place) {
    insert_mode(state);
    buffer.move_to(place);
  };
  const auto ahead = [&](char way) { return vi_motion(text, at, way, count(), true)->to; };
  switch (c) {
    case 'i': insert_at(at); break;
    case 'a': insert_at(at < end ? text.next(at) : at); break;
    case 'I': insert_at(vi_first_nonblank(text, at)); break;
    case 'A': insert_at(end); break;
    case 'o':
      insert_at(end);
      buffer.insert("\n");
      break;
    case 'O':
      insert_at(begin);
      buffer.insert("\n");
      buffer.move_to(begin);
      break;
    case 'x': operate('d', at, ahead('l')); break;
    case 'X': operate('d', ahead('h'), at); break;
    case 's': operate('c', at, ahead('l')); break;
    case 'S':
      operator_ = 'c';
      apply_lines(state, at, at);
      break;
    case 'D': operate('d', at, end); break;
    case 'C': operate('c', at, end); break;
    case 'Y':
      operator_ = 'y';
      apply_lines(state, at, at);
      buffer.move_to(at);
      break;
    case 'p':
    case 'P': return put(state, c == 'p');
    case 'J': join_lines(state); break;
    case '~': swap_case(state); break;
    case 'u':
      for (int i = count(); i > 0 && buffer.undo(); --i) continue;
      break;
    case '.': repeat(state); break;
    default: return false;
  }
  if (!normal_) count_ = operator_count_ = 0;
  return true;
}

void ViKeys::repeat(EditorState& state) {
  if (replaying_ || change_.empty()) return;
  finish();
  replaying_ = true;
  const std::vector<Key> keys = change_;
  for (const Key& one : keys) {
    if (key(state, one) == Answer::kNotMine) (void)emacs_key(state, one);
  }
  replaying_ = false;
}

}  // namespace magi::code::tui
