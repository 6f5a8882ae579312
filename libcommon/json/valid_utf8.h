// Whether bytes are UTF-8, at the speed of memory: for texts of many megabytes.
#pragma once

#include <string_view>

namespace magi::json {

bool is_valid_utf8(std::string_view bytes);

}  // namespace magi::json
