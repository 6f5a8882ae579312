// Text of models, tools and files for people to read: what could act on a terminal or hide from a reader is spelled
// out.
#pragma once

#include <string>
#include <string_view>

namespace magi {

// Appends `text` with control characters (LF and TAB aside), bidirectional and invisible ones as `\x1b` or `\u{202e}`;
// invalid UTF-8 as U+FFFD.
void append_harmless(std::string& out, std::string_view text);
std::string harmless(std::string_view text);

}  // namespace magi
