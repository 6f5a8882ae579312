// Which words make a program run another one, so that a wildcard in a rule must not cover them (SEC-07).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace magi::code::permit {

// Whether a wildcard may stand for word `at` (1 or more) of the command.  `is_literal[i]`: the rule says word i in
// full. Words that it does not know to be dangerous are harmless: a rule names a program that its user knows.
bool wildcard_may_cover(const std::vector<std::string>& words, const std::vector<bool>& is_literal, std::size_t at);

// Words at the beginning that say what a command does: "git diff" of "git diff --stat"; at least 1.
std::size_t leading_words(const std::vector<std::string>& words);

}  // namespace magi::code::permit
