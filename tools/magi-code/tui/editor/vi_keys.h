// vi's two modes.  Insert mode uses the emacs keys; normal mode has motions, the operators d, c and y with counts and
// text objects, single-key changes, put, repeat and undo.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/magi-code/tui/editor/vi_motion.h"
#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

class EditorState;

class ViKeys {
 public:
  enum class Answer : std::uint8_t {
    kNotMine,  // a key for the emacs keys
    kHandled,
    kIgnored,  // Escape in normal mode and the like: for the app
    kSubmit,
    kEditExternally,
    kHistorySearch,
  };

  Answer key(EditorState& state, const Key& key);
  bool in_normal_mode() const { return normal_; }
  // Insert mode, nothing begun: a new prompt.
  void start();

 private:
  Answer normal_key(EditorState& state, const Key& key);
  Answer command(EditorState& state, char c);
  bool begin_pending(char c);
  bool pending_key(EditorState& state, const Key& key);
  bool motion(EditorState& state, char c);
  bool change(EditorState& state, char c);
  bool put(EditorState& state, bool behind);
  void move(EditorState& state, const ViMotion& motion);
  void apply(EditorState& state, const ViMotion& motion);
  void apply_range(EditorState& state, std::size_t begin, std::size_t end, bool by_lines);
  void apply_lines(EditorState& state, std::size_t from, std::size_t to);
  bool vertical(EditorState& state, int direction);
  void insert_mode(EditorState& state);
  void normal_mode(EditorState& state);
  void repeat(EditorState& state);
  void join_lines(EditorState& state);
  void swap_case(EditorState& state);
  void finish();
  int count() const;

  bool normal_ = false;
  bool in_insert_group_ = false;  // what is typed until Escape is undone at once
  int count_ = 0, operator_count_ = 0;
  char operator_ = 0, pending_ = 0;  // pending: f F t T r g i a, whose next key belongs to them
  char find_motion_ = 0;
  std::string find_wanted_, lines_killed_;  // lines_killed_: put on lines of its own while it is the newest
  std::vector<Key> typed_, change_;         // the present command, and the last that changed something
  bool replaying_ = false;
};

}  // namespace magi::code::tui
