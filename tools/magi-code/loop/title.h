// What a session is called (requirement S9).
#pragma once

#include <string>
#include <string_view>

namespace magi::code {

// One line of at most 80 characters without control characters: the first line of a prompt that says something, or
// what a model answered when asked for a title.  Empty where the text says nothing.
std::string title_of(std::string_view text);

// The conversation stream that asks a model for a title.
std::string title_request(std::string_view prompt);

}  // namespace magi::code
