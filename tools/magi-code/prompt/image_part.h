// An image file as a part of a user input.
#pragma once

#include <string>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"

namespace magi::code {

// Reads a PNG, JPEG, GIF or WebP file of at most 5 MB (what every provider takes) and keeps its bytes in the part, so
// that the session stays whole when the file goes.  kUsage for anything else.
Result<event::Part> image_part(const std::string& path);

}  // namespace magi::code
