// The prompt templates of prompts/, embedded when the program is built.
#pragma once

#include <string_view>

namespace magi::code {

// Empty where there is none of that name.
std::string_view bundled_prompt(std::string_view name);

}  // namespace magi::code
