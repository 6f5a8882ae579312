// Syntax colours by tables: one engine for languages of C's kind, a small scanner each for formats of lines.  A line
// at a time, with a state carried from line to line, so that a streamed block needs its new lines only.
// Pure; linear in the line; accepts any bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui::syntax {

struct Language;

// Null for names nobody knows.  `name` as a fence says it ("c++", "ts", "rust,ignore") or a file is called ("a/b.py",
// "CMakeLists.txt").
const Language* find_language(std::string_view name);
std::string_view name_of(const Language& language);

// What the end of a line leaves open for the next: zero at the beginning of a text.
struct State {
  std::uint8_t mode = 0;       // of the engine or scanner
  std::uint8_t index = 0;      // which string or comment of the language is open
  std::uint16_t depth = 0;     // nested comments, '#' of a raw string, braces
  std::array<char, 20> tag{};  // the word that ends a here-document or a raw string

  bool operator==(const State&) const = default;
};

// A part of the line that has a role of its own; what lies between is plain code.
struct Token {
  std::uint32_t begin, end;  // bytes
  Role role;

  bool operator==(const Token&) const = default;
};

// Appends the line's tokens, in order, and carries `state` over its end.  `line` has no LF.
void lex_line(const Language& language, State& state, std::string_view line, std::vector<Token>& tokens);

}  // namespace magi::code::tui::syntax
