// Images for models that can see: told by their first bytes, carried as base64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"

namespace magi::toolbox {

// The largest image that every provider takes (5 MB as base64).
inline constexpr std::int64_t kLargestImage = 3'750'000;
// Pixels a side that every provider takes (Anthropic's limit is the lowest).
inline constexpr std::uint32_t kMostPixels = 8000;

// kLimit: too large to show.
Result<event::Part> image_part(int fd, std::string_view media_type, std::string_view shown);

}  // namespace magi::toolbox
