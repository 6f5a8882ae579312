// All that an editor consists of, for the files that make up its keys.
#pragma once

#include <string>

#include "tools/magi-code/tui/editor/buffer.h"
#include "tools/magi-code/tui/editor/completion_list.h"
#include "tools/magi-code/tui/editor/editor.h"
#include "tools/magi-code/tui/editor/history.h"
#include "tools/magi-code/tui/editor/rows.h"
#include "tools/magi-code/tui/editor/vi_keys.h"

namespace magi::code::tui {

class EditorState {
 public:
  Buffer buffer;
  Rows rows;
  PromptHistory history;
  CompletionList completion;
  ViKeys vi;
  std::string placeholder;
  int columns = 80, view_rows = 1;
  int goal_column = -1;  // where Up and Down go on; -1: where the cursor is
  bool vi_on = false, after_ctrl_x = false;
  bool history_moved = false;  // by the present key

  // One row up (-1) or down (1); at the ends through the history.  False: there is nothing more.
  bool move_row(int direction);
  EditorAnswer submit();
};

// The keys of emacs and of everybody: movements, erasing, killing, undoing.
EditorAnswer emacs_key(EditorState& state, const Key& key);

}  // namespace magi::code::tui
