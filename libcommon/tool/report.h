// Lines for people on stderr.  Each call is one write(2), so that lines of several processes do not mix.
#pragma once

#include <string_view>

#include "libcommon/base/error.h"

namespace magi::tool {

// "<name>: <error.what>".  LF inside `what` begins a further line of advice; other control characters are made visible.
// Returns the exit status of the error's code.
int report(std::string_view name, const Error& error);

// "<name>: <text>", for notices and warnings.
void notice(std::string_view name, std::string_view text);

}  // namespace magi::tool
