#include <iterator>

#include "tools/magi-code/tui/editor/editor_state.h"

namespace magi::code::tui {
namespace {

enum class Follows : std::uint8_t { kNothing, kKill, kYank };

struct Binding {
  KeyCode code;
  char letter;  // of kText
  bool ctrl, alt;
  Follows follows;
  void (*run)(EditorState&);
};

void word_left(EditorState& s) { s.buffer.move_to(s.buffer.text().word_begin_before(s.buffer.cursor())); }
void word_right(EditorState& s) { s.buffer.move_to(s.buffer.text().word_end_after(s.buffer.cursor())); }
void line_begin(EditorState& s) { s.buffer.move_to(s.buffer.text().line_begin(s.buffer.cursor())); }
void line_end(EditorState& s) { s.buffer.move_to(s.buffer.text().line_end(s.buffer.cursor())); }
void text_begin(EditorState& s) { s.buffer.move_to(0); }
void text_end(EditorState& s) { s.buffer.move_to(s.buffer.text().size()); }

void erase_before(EditorState& s) {
  s.buffer.erase(s.buffer.text().before(s.buffer.cursor()), s.buffer.cursor(), Buffer::Sort::kErasing);
}
void erase_after(EditorState& s) {
  s.buffer.erase(s.buffer.cursor(), s.buffer.text().next(s.buffer.cursor()), Buffer::Sort::kErasing);
}

void kill_before(EditorState& s, std::size_t begin) {
  s.buffer.kill(begin, s.buffer.cursor(), Buffer::Kill::kBackward);
}
void kill_after(EditorState& s, std::size_t end) { s.buffer.kill(s.buffer.cursor(), end, Buffer::Kill::kForward); }
void kill_word_before(EditorState& s) { kill_before(s, s.buffer.text().word_begin_before(s.buffer.cursor())); }
void kill_blank_word_before(EditorState& s) {
  kill_before(s, s.buffer.text().word_begin_before(s.buffer.cursor(), true));
}
void kill_word_after(EditorState& s) { kill_after(s, s.buffer.text().word_end_after(s.buffer.cursor())); }
void kill_line_after(EditorState& s) {
  const PromptText& text = s.buffer.text();
  const std::size_t end = text.line_end(s.buffer.cursor());
  // At the end of a line the line end itself.
  kill_after(s, end == s.buffer.cursor() ? text.next(end) : end);
}
void kill_line_before(EditorState& s) {
  const PromptText& text = s.buffer.text();
  const std::size_t begin = text.line_begin(s.buffer.cursor());
  kill_before(s, begin == s.buffer.cursor() ? text.before(begin) : begin);
}

// The two units around the cursor change places, at a line's end those before it.
void transpose(EditorState& s) {
  const PromptText& text = s.buffer.text();
  std::size_t middle = s.buffer.cursor();
  if (middle == text.line_end(middle)) middle = text.before(middle);
  const std::size_t begin = text.before(middle), end = text.next(middle);
  if (middle == 0 || begin < text.line_begin(middle) || middle == end || text.raw()[middle] == '\n') return;
  s.buffer.replace(begin, end, s.buffer.slice(middle, end) + s.buffer.slice(begin, middle));
}

enum class Case : std::uint8_t { kUpper, kLower, kCapital };

void change_case(EditorState& s, Case how) {
  const std::size_t begin = s.buffer.cursor(), end = s.buffer.text().word_end_after(begin);
  std::string word = s.buffer.slice(begin, end);
  bool is_first = true;
  for (char& c : word) {
    const bool is_small = c >= 'a' && c <= 'z', is_capital = c >= 'A' && c <= 'Z';
    const bool to_upper = how == Case::kUpper || (how == Case::kCapital && is_first);
    if (to_upper && is_small) c = static_cast<char>(c - 'a' + 'A');
    if (!to_upper && is_capital) c = static_cast<char>(c - 'A' + 'a');
    if (is_small || is_capital) is_first = false;
  }
  if (word == s.buffer.slice(begin, end)) return s.buffer.move_to(end);
  s.buffer.replace(begin, end, word);
}

void insert_line_end(EditorState& s) { s.buffer.insert("\n"); }

constexpr bool kCtrl = true, kAlt = true;
constexpr Binding kBindings[] = {
    {KeyCode::kLeft, 0, false, false, Follows::kNothing, [](EditorState& s) { s.buffer.left(); }},
    {KeyCode::kText, 'b', kCtrl, false, Follows::kNothing, [](EditorState& s) { s.buffer.left(); }},
    {KeyCode::kRight, 0, false, false, Follows::kNothing, [](EditorState& s) { s.buffer.right(); }},
    {KeyCode::kText, 'f', kCtrl, false, Follows::kNothing, [](EditorState& s) { s.buffer.right(); }},
    {KeyCode::kLeft, 0, kCtrl, false, Follows::kNothing, word_left},
    {KeyCode::kLeft, 0, false, kAlt, Follows::kNothing, word_left},
    {KeyCode::kText, 'b', false, kAlt, Follows::kNothing, word_left},
    {KeyCode::kRight, 0, kCtrl, false, Follows::kNothing, word_right},
    {KeyCode::kRight, 0, false, kAlt, Follows::kNothing, word_right},
    {KeyCode::kText, 'f', false, kAlt, Follows::kNothing, word_right},
    {KeyCode::kHome, 0, false, false, Follows::kNothing, line_begin},
    {KeyCode::kText, 'a', kCtrl, false, Follows::kNothing, line_begin},
    {KeyCode::kEnd, 0, false, false, Follows::kNothing, line_end},
    {KeyCode::kText, 'e', kCtrl, false, Follows::kNothing, line_end},
    {KeyCode::kHome, 0, kCtrl, false, Follows::kNothing, text_begin},
    {KeyCode::kText, '<', false, kAlt, Follows::kNothing, text_begin},
    {KeyCode::kEnd, 0, kCtrl, false, Follows::kNothing, text_end},
    {KeyCode::kText, '>', false, kAlt, Follows::kNothing, text_end},
    {KeyCode::kBackspace, 0, false, false, Follows::kNothing, erase_before},
    {KeyCode::kText, 'h', kCtrl, false, Follows::kNothing, erase_before},
    {KeyCode::kDelete, 0, false, false, Follows::kNothing, erase_after},
    {KeyCode::kText, 'd', kCtrl, false, Follows::kNothing, erase_after},
    {KeyCode::kText, 'w', kCtrl, false, Follows::kKill, kill_blank_word_before},
    {KeyCode::kBackspace, 0, false, kAlt, Follows::kKill, kill_word_before},
    {KeyCode::kBackspace, 0, kCtrl, false, Follows::kKill, kill_word_before},
    {KeyCode::kText, 'd', false, kAlt, Follows::kKill, kill_word_after},
    {KeyCode::kDelete, 0, kCtrl, false, Follows::kKill, kill_word_after},
    {KeyCode::kDelete, 0, false, kAlt, Follows::kKill, kill_word_after},
    {KeyCode::kText, 'k', kCtrl, false, Follows::kKill, kill_line_after},
    {KeyCode::kText, 'u', kCtrl, false, Follows::kKill, kill_line_before},
    {KeyCode::kText, 'y', kCtrl, false, Follows::kYank, [](EditorState& s) { s.buffer.yank(); }},
    {KeyCode::kText, 'y', false, kAlt, Follows::kYank, [](EditorState& s) { s.buffer.yank_older(); }},
    {KeyCode::kText, '_', kCtrl, false, Follows::kNothing, [](EditorState& s) { s.buffer.undo(); }},
    {KeyCode::kText, '/', kCtrl, false, Follows::kNothing, [](EditorState& s) { s.buffer.undo(); }},
    {KeyCode::kText, 't', kCtrl, false, Follows::kNothing, transpose},
    {KeyCode::kText, 'u', false, kAlt, Follows::kNothing, [](EditorState& s) { change_case(s, Case::kUpper); }},
    {KeyCode::kText, 'l', false, kAlt, Follows::kNothing, [](EditorState& s) { change_case(s, Case::kLower); }},
    {KeyCode::kText, 'c', false, kAlt, Follows::kNothing, [](EditorState& s) { change_case(s, Case::kCapital); }},
    {KeyCode::kText, 'j', kCtrl, false, Follows::kNothing, insert_line_end},
};

bool is_key(const Binding& binding, const Key& key) {
  if (binding.code != key.code || binding.ctrl != key.ctrl || binding.alt != key.alt) return false;
  return key.code != KeyCode::kText || (key.text.size() == 1 && key.text[0] == binding.letter);
}

bool is_up(const Key& key) { return (key.code == KeyCode::kUp && !key.ctrl && !key.alt) || key.is_ctrl('p'); }
bool is_down(const Key& key) { return (key.code == KeyCode::kDown && !key.ctrl && !key.alt) || key.is_ctrl('n'); }

EditorAnswer handled() { return {EditorAnswer::Kind::kHandled, {}}; }

EditorAnswer enter(EditorState& state, const Key& key) {
  Buffer& buffer = state.buffer;
  const std::size_t cursor = buffer.cursor();
  const bool continues = cursor > 0 && cursor == buffer.text().size() && buffer.text().raw()[cursor - 1] == '\\';
  if (continues && !key.shift && !key.alt && !key.ctrl) {
    buffer.replace(cursor - 1, cursor, "\n");
  } else if (key.shift || key.alt || key.ctrl) {
    insert_line_end(state);
  } else {
    return state.submit();
  }
  return handled();
}

}  // namespace

EditorAnswer emacs_key(EditorState& state, const Key& key) {
  if (is_up(key) || is_down(key)) {
    state.buffer.end_command(false, false);
    return state.move_row(is_up(key) ? -1 : 1) ? handled() : EditorAnswer{};
  }
  state.goal_column = -1;
  Follows follows = Follows::kNothing;
  EditorAnswer answer = handled();
  if (key.code == KeyCode::kEnter) {
    answer = enter(state, key);
  } else if (key.code == KeyCode::kText && !key.ctrl && !key.alt) {
    state.buffer.insert(key.text, Buffer::Sort::kTyping);
  } else if (key.is_ctrl('d') && state.buffer.text().empty()) {
    answer = {};
  } else {
    const auto* binding = std::begin(kBindings);
    while (binding != std::end(kBindings) && !is_key(*binding, key)) ++binding;
    if (binding == std::end(kBindings)) {
      answer = {};
    } else {
      binding->run(state);
      follows = binding->follows;
    }
  }
  state.buffer.end_command(follows == Follows::kKill, follows == Follows::kYank);
  return answer;
}

}  // namespace magi::code::tui
