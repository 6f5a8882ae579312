// Text of models, tools and files made harmless for a terminal: control characters (C0, DEL, C1) but LF and TAB are
// shown in caret form, so that no escape sequence reaches the screen.  Invalid UTF-8 becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace magi::code {

std::string display_safe(std::string_view text);

// The first line, at most `max_characters` long, with an ellipsis where something was cut.
std::string one_line(std::string_view text, std::size_t max_characters);

}  // namespace magi::code
