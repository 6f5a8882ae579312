// The classes of code points from the committed list of ranges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::o200k::build {

// A bit of CharClass for each code point up to 0x10FFFF.  `text`: lines "FIRST\tLAST\tCLASS", hexadecimal; what is in
// no line is kOther.
Result<std::vector<std::uint8_t>> parse_classes(std::string_view text);

}  // namespace magi::o200k::build
