// Markdown of one block (markdown/splitter.h) as lines of a width.  md4c parses; it is included by render.cc alone.
#pragma once

#include <string_view>

#include "tools/magi-code/tui/transcript/laid_line.h"

namespace magi::code::tui {

// Appends the lines of `source`, which may be hostile.  Blank lines stand between blocks, none at either end.
void lay_markdown(LaidLines& out, std::string_view source, int columns);

}  // namespace magi::code::tui
