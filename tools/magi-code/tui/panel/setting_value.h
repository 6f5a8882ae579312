// Values of settings between their JSON text and what is shown and typed.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-code/tui/panel/data.h"

namespace magi::code::tui {

// As one would say it: text without quotes, "-" for nothing set.
std::string shown_value(std::string_view json);
// JSON text for what was typed; kUsage: why it cannot be (the bounds of the row).
Result<std::string> typed_value(const SettingRow& row, std::string_view typed);
// "true or false", "a whole number from 1 to 100, or null", "one of a, b".
std::string allowed_values(const SettingRow& row);
// What Enter makes of a value that is not typed: the other truth, the next choice; empty: it has to be typed.
std::string next_value(const SettingRow& row, std::string_view json);

}  // namespace magi::code::tui
