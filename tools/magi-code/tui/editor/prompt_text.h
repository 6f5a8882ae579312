// The text of the prompt editor.  Long pastes stand in it as chips: five bytes that no UTF-8 text has, which name one
// of the pastes kept here.  Everything else is valid UTF-8 with LF as its only line end.  Offsets are bytes, always at
// the start of a unit: a grapheme cluster, a line end or a chip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magi::code::tui {

class PromptText {
 public:
  const std::string& raw() const { return raw_; }
  std::size_t size() const { return raw_.size(); }
  bool empty() const { return raw_.empty(); }

  // Puts `piece`, which is raw text of this object, in the place of [begin, end).
  void replace(std::size_t begin, std::size_t end, std::string_view piece) { raw_.replace(begin, end - begin, piece); }

  // Text from outside as a piece: made valid; as one chip where it is long.
  std::string piece_of(std::string_view text);
  // What a piece stands for.
  std::string expand(std::string_view piece) const;

  // Forgets the pastes that none of `pieces` names.
  void keep_only(const std::vector<std::string_view>& pieces);

  // --- Units ---
  std::size_t next(std::size_t at) const;    // size() at the end
  std::size_t before(std::size_t at) const;  // 0 at the beginning
  bool is_chip(std::size_t at) const;
  // As it is drawn: safe, without line ends; a chip as its label.
  std::string shown(std::size_t at, std::size_t end) const;

  // --- Lines: between line ends ---
  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;

  // --- Words, as emacs moves: letters and digits; `by_blanks`: all that is no blank ---
  std::size_t word_begin_before(std::size_t at, bool by_blanks = false) const;
  std::size_t word_end_after(std::size_t at, bool by_blanks = false) const;

  // 0: blank or line end, 1: punctuation, 2: letter or digit, 3: a chip, which is a word of its own.  At the end: 0.
  int kind_at(std::size_t at) const;

 private:
  struct Chip {
    std::string text, label;
  };
  const Chip& chip_at(std::string_view text, std::size_t at) const;

  std::string raw_;
  std::vector<Chip> chips_;  // by number; those that are forgotten are empty
};

}  // namespace magi::code::tui
