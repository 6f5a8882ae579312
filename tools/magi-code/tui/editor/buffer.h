// A text with a cursor that is edited: every change can be undone, what is killed can be put back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/editor/prompt_text.h"

namespace magi::code::tui {

class Buffer {
 public:
  // Changes of one sort that follow each other are undone together; kAlone: each by itself.
  enum class Sort : std::uint8_t { kAlone, kTyping, kErasing };
  enum class Kill : std::uint8_t { kForward, kBackward };

  const PromptText& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }
  std::string expanded() const { return text_.expand(text_.raw()); }
  // Grows with every change of the text.
  std::uint64_t version() const { return version_; }

  // --- Moving ends what is undone together ---
  // Requires: the start of a unit.
  void move_to(std::size_t at);
  void left() { move_to(text_.before(cursor_)); }
  void right() { move_to(text_.next(cursor_)); }

  // --- Changing ---
  // Text from outside, at the cursor.
  void insert(std::string_view text, Sort sort = Sort::kAlone);
  void erase(std::size_t begin, std::size_t end, Sort sort = Sort::kAlone);
  // All of it, as one change.
  void set(std::string_view text);
  void replace(std::size_t begin, std::size_t end, std::string_view piece, Sort sort = Sort::kAlone);
  std::string slice(std::size_t begin, std::size_t end) const { return text_.raw().substr(begin, end - begin); }
  // Between these all changes are undone together; they nest.
  void begin_group();
  void end_group();
  void end_groups() { group_depth_ = 0, open_sort_ = Sort::kAlone; }

  bool undo();
  bool redo();

  // --- The kill ring ---
  // Kills that follow each other directly become one entry.
  void kill(std::size_t begin, std::size_t end, Kill direction);
  void add_killed(std::string piece);
  // The newest piece; empty: none.
  std::string_view killed() const;
  bool yank();
  // In the place of what was just yanked, the one killed before it.
  bool yank_older();
  // Says that a command has ended which did not kill (yank): the next kill (yank_older) stands alone.
  void end_command(bool killed, bool yanked);

  // Empties everything but the kill ring: after sending.
  void reset();

 private:
  struct Change {
    std::size_t at = 0;
    std::string removed, inserted;
  };
  struct Step {
    std::vector<Change> changes;
    std::size_t cursor_before = 0, cursor_after = 0;
  };
  static constexpr std::size_t kMostSteps = 10'000, kMostKilled = 60;

  void record(Change change, Sort sort);

  PromptText text_;
  std::size_t cursor_ = 0;
  std::uint64_t version_ = 0;
  std::deque<Step> done_;
  std::vector<Step> undone_;
  Sort open_sort_ = Sort::kAlone;  // the last step may take more of this sort
  int group_depth_ = 0;
  bool group_has_step_ = false;

  std::deque<std::string> kill_ring_;  // the newest first
  bool last_killed_ = false, last_yanked_ = false;
  std::size_t yank_begin_ = 0, yank_end_ = 0, yank_index_ = 0;
};

}  // namespace magi::code::tui
