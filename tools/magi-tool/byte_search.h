// Finding and counting bytes in large texts, by the vector instructions that the C library and the compiler have.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace magi::toolbox {

std::size_t count_lines(std::string_view text);  // bytes that are LF

// A text that every match of a regular expression holds; nothing where none can be told.
struct Literal {
  std::string text;
  bool any_case = false;  // ASCII letters in either case; then `text` is in lower case
  bool whole = false;     // the expression is this text and nothing else
};
std::optional<Literal> required_literal(std::string_view pattern, bool ignore_case);

// Looks for the byte of a literal that is rarest in source code, and at the rest where that is found.
class LiteralFinder {
 public:
  explicit LiteralFinder(Literal literal);

  const Literal& literal() const { return literal_; }
  // Offset of the first occurrence at or behind `from`; npos: none.
  std::size_t find(std::string_view text, std::size_t from) const;

 private:
  bool stands_at(std::string_view text, std::size_t at) const;

  Literal literal_;
  std::size_t rare_ = 0;                 // offset in the literal
  char rare_byte_ = 0, rare_other_ = 0;  // the same in the other case, where that counts
};

}  // namespace magi::toolbox
