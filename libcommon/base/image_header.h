// What the first bytes of an image say: its kind and its size in pixels.  Only the kinds that models take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace magi {

// As many bytes of a file as read_image_header() needs; a JPEG with larger metadata stays without its size.
inline constexpr std::size_t kImageHeaderBytes = 64 * 1024;

struct ImageHeader {
  std::string_view media_type;          // "image/png", "image/jpeg", "image/gif", "image/webp"; empty: no image
  std::uint32_t width = 0, height = 0;  // pixels; 0: not told
};

ImageHeader read_image_header(std::string_view first_bytes);

}  // namespace magi
