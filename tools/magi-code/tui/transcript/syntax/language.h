// What the lexer's engine knows of a language.  Private to syntax/.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/transcript/syntax/lexer.h"

namespace magi::code::tui::syntax {

template <class T>
struct Span {
  const T* first = nullptr;
  std::size_t count = 0;

  constexpr Span() = default;
  template <std::size_t N>
  constexpr Span(const T (&items)[N]) : first(items), count(N) {}  // NOLINT: tables are written as they are
  constexpr const T* begin() const { return first; }
  constexpr const T* end() const { return first + count; }
};
using Words = Span<std::string_view>;

struct Quote {
  std::string_view open, close;
  bool multiline = false;  // else it ends with its line at the latest
  bool escapes = true;     // a backslash takes the next character with it
};

// Small rules that some languages have beside the tables.
enum Trait : std::uint32_t {
  kNestedComments = 1u << 0,
  kPreprocessor = 1u << 1,       // '#' at the beginning of a line
  kTypesAreCapital = 1u << 2,    // Names like This are types
  kDecorators = 1u << 3,         // @name
  kLifetimes = 1u << 4,          // 'a is no string
  kRustRaw = 1u << 5,            // r#"..."#
  kCppRaw = 1u << 6,             // R"tag(...)tag"
  kIgnoresCase = 1u << 7,        // keywords
  kDollarNames = 1u << 8,        // $name and ${name}
  kHereDocuments = 1u << 9,      // <<WORD
  kWordComments = 1u << 10,      // a comment begins at the beginning of a word only
  kDashNames = 1u << 11,         // a-b is one name
  kKeyColon = 1u << 12,          // a string or name before ':' is a key
  kKeyEquals = 1u << 13,         // a name before '=' is a key
  kSections = 1u << 14,          // a line [like this] is a heading
  kHashColours = 1u << 15,       // #a0b0c0 is a number
  kAtKeywords = 1u << 16,        // @media
  kBracketStrings = 1u << 17,    // [=[ ... ]=]
  kPrefixedStrings = 1u << 18,   // r"..." has no escapes
  kCallsAreKeywords = 1u << 19,  // a name before '(' at the beginning of a line is a command
};

using LineLexer = void (*)(State& state, std::string_view line, std::vector<Token>& tokens);

struct Language {
  std::string_view name;
  Words aliases;     // of fences
  Words extensions;  // of files, without the dot
  Words line_comments;
  std::string_view comment_open, comment_close;
  Span<Quote> quotes;     // longer opens first
  Words keywords, types;  // sorted
  std::uint32_t traits = 0;
  LineLexer own = nullptr;  // instead of the engine

  bool has(Trait trait) const { return (traits & trait) != 0; }
};

Span<Language> c_languages();       // languages_c.cc
Span<Language> script_languages();  // languages_script.cc
Span<Language> format_languages();  // languages_format.cc

// Of the engine: what both it and scanners need.
bool is_name_start(char c);
bool is_name(char c);
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::size_t skip_blanks(std::string_view line, std::size_t at);
void lex_with_tables(const Language& language, State& state, std::string_view line, std::vector<Token>& tokens);
void add(std::vector<Token>& tokens, std::size_t begin, std::size_t end, Role role);

// line_scanners.cc
void lex_yaml(State& state, std::string_view line, std::vector<Token>& tokens);
void lex_markup(State& state, std::string_view line, std::vector<Token>& tokens);
void lex_markdown(State& state, std::string_view line, std::vector<Token>& tokens);
void lex_diff(State& state, std::string_view line, std::vector<Token>& tokens);
void lex_make(State& state, std::string_view line, std::vector<Token>& tokens);

}  // namespace magi::code::tui::syntax
