// One line of text that is typed: filters, titles, values, comments.  The cursor stands between grapheme clusters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

class LineInput {
 public:
  // What is typed beyond `most_bytes` is dropped.
  explicit LineInput(std::string text = {}, std::size_t most_bytes = 4096);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  void set(std::string text);

  // False: not a key of it (Enter, Escape, Up, ...).
  bool key(const Key& key);
  // Line ends become blanks.
  void paste(std::string_view text);

  // Draws into the first row of `area` behind `label`, scrolled so that the cursor is in view, and sets the cursor.
  void draw(Surface& surface, Rect area, std::string_view label) const;

 private:
  void insert(std::string_view text);
  void erase(std::size_t begin, std::size_t end);
  std::size_t word_before() const;
  bool control(char c);

  std::string text_;
  std::size_t cursor_ = 0, most_bytes_;
};

}  // namespace magi::code::tui
