// Shell completion made from the definitions of a command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcommon/tool/options.h"

namespace magi::tool {

// For "bash", "zsh" or "fish"; nothing for another shell.  The scripts need nothing but the shell itself.
std::optional<std::string> completion_script(const Options& command, std::string_view shell);

}  // namespace magi::tool
