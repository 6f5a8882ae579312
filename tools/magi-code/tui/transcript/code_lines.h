// A line of code in the colours of its language.
#pragma once

#include <string_view>

#include "tools/magi-code/tui/text/line.h"
#include "tools/magi-code/tui/transcript/laid_line.h"
#include "tools/magi-code/tui/transcript/syntax/lexer.h"

namespace magi::code::tui {

// `raw` without its line end and as it was received; what comes out is safe to draw.  `language` may be null.
Line colour_line(std::string_view raw, const syntax::Language* language, syntax::State& state);

// Lines of `text`, the last with or without a line end, of which each may lose `indent` leading blanks.
void lay_code(LaidLines& out, std::string_view text, const syntax::Language* language, syntax::State state, int indent,
              int columns, const Prefix& prefix);

}  // namespace magi::code::tui
