// Texts made from the definitions of a command line.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/tool/options.h"

namespace magi::tool {

inline constexpr std::string_view kCommonGroup = "Common options";

// What --help prints for one (sub)command: no colour, at most 100 columns as long as the texts allow it.
std::string help_text(const Options& command);

}  // namespace magi::tool
