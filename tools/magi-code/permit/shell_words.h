// One simple command of a shell, as words: what an allow rule can be held against.  Everything whose meaning cannot be
// known from the text alone is not read as words at all, so that no rule ever covers it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace magi::code::permit {

struct ShellWord {
  std::string text;                     // without quotes
  std::vector<std::size_t> globs = {};  // where in `text` an unquoted '*', '?' or '[' stands

  bool has_glob() const { return !globs.empty(); }
};

// The words, or nothing where `line` is anything but one simple command: with an operator, a redirection, an
// assignment, a comment, an expansion other than of file names, a control character, an open quote, a reserved word.
// Of expansions of file names only those are read whose outcome cannot be an option: behind "--", or with something
// other than '-' before the first wildcard.
std::optional<std::vector<ShellWord>> simple_command(std::string_view line);

// The words of a rule, where '*' is a wildcard of ours anywhere.
std::optional<std::vector<ShellWord>> rule_words(std::string_view text);

// As bash reads it back as one word: quoted where need be.
std::string shell_quoted(std::string_view word);

}  // namespace magi::code::permit
