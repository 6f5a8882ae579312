// Images for models that can see: told by their first bytes, carried as base64.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"

namespace magi::toolbox {

// The largest image that every provider takes (5 MB as base64).
inline constexpr std::int64_t kLargestImage = 3'750'000;

// "image/png", "image/jpeg", "image/gif", "image/webp"; empty: no image.
std::string_view image_type(std::string_view first_bytes);

// kLimit: too large to show.
Result<event::Part> image_part(int fd, std::string_view media_type, std::string_view shown);

}  // namespace magi::toolbox
