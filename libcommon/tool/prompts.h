// The prompt templates of prompts/: embedded when the programs are built, replaced by the user's own.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::tool {

// Empty where there is none of that name.
std::string_view bundled_prompt(std::string_view name);

// <folder>/<name>.md where it is there, else the bundled one.  Error: the user's own cannot be read, is no regular file
// or is longer than 64 KiB.
Result<std::string> load_prompt(const std::string& folder, std::string_view name);

}  // namespace magi::tool
