// Images of a conversation as requests carry them.
#pragma once

#include <string>
#include <vector>

#include "libcommon/event/session_event.h"

namespace magi::provider {

struct Image {
  std::string media_type;
  std::string base64;   // empty: the image cannot be sent, and `absence` says why
  std::string absence;  // text that stands in its place
};

// Reads a file where the part names one (blocking, at most 5 MB, regular files only).  Never fails: an image that is
// gone, too large, changed or of a kind that models do not read becomes a text.
Image load_image(const event::Part& part);
std::vector<Image> load_images(const std::vector<event::Part>& parts);

}  // namespace magi::provider
