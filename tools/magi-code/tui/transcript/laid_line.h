// Lines as they stand at one width, with what copying needs to know of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/text/line.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {

struct LaidLine {
  Line line;
  std::uint16_t decoration = 0;  // bytes at its beginning that are no text: bars, indents of wrapped lines
  bool continues = false;        // the next line goes on with the same line of text
  bool exact = false;            // ... without a blank between them (code, output)
};
using LaidLines = std::vector<LaidLine>;

// What stands before the lines of a block: bars of quotes, bullets, indents.
struct Prefix {
  Line first, rest;
  std::uint16_t first_decoration = 0;  // bytes of `first` that are decoration; of `rest` all are
};

enum class Wrapping : std::uint8_t { kWords, kExact };

// Appends `line`, wrapped to `columns` behind the prefix.
void lay(LaidLines& out, const Line& line, int columns, const Prefix& prefix, Wrapping wrapping);

std::uint16_t bytes_of(const Line& line);
// Adds to the last span where the style is the same.
void append_text(Line& line, std::string_view text, Style style);

}  // namespace magi::code::tui
