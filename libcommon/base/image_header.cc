#include "libcommon/base/image_header.h"

#include <algorithm>

namespace magi {
namespace {

std::uint32_t byte(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0u;
}
std::uint32_t big16(std::string_view bytes, std::size_t at) { return byte(bytes, at) << 8 | byte(bytes, at + 1); }
std::uint32_t big32(std::string_view bytes, std::size_t at) { return big16(bytes, at) << 16 | big16(bytes, at + 2); }
std::uint32_t little16(std::string_view bytes, std::size_t at) { return byte(bytes, at) | byte(bytes, at + 1) << 8; }
std::uint32_t little24(std::string_view bytes, std::size_t at) {
  return little16(bytes, at) | byte(bytes, at + 2) << 16;
}

ImageHeader png(std::string_view bytes) {
  ImageHeader header{"image/png"};
  if (bytes.size() >= 24 && bytes.substr(12, 4) == "IHDR")
    header.width = big32(bytes, 16), header.height = big32(bytes, 20);
  return header;
}

ImageHeader gif(std::string_view bytes) { return {"image/gif", little16(bytes, 6), little16(bytes, 8)}; }

// The three kinds of first chunk (RFC 9649): lossy, lossless, extended.
ImageHeader webp(std::string_view bytes) {
  ImageHeader header{"image/webp"};
  const std::string_view chunk = bytes.substr(std::min<std::size_t>(12, bytes.size()), 4);
  if (bytes.size() < 30) return header;
  if (chunk == "VP8 ") {
    header.width = little16(bytes, 26) & 0x3fff;
    header.height = little16(bytes, 28) & 0x3fff;
  } else if (chunk == "VP8L") {
    const std::uint32_t bits = little24(bytes, 21) | byte(bytes, 24) << 24;
    header.width = (bits & 0x3fff) + 1;
    header.height = (bits >> 14 & 0x3fff) + 1;
  } else if (chunk == "VP8X") {
    header.width = little24(bytes, 24) + 1;
    header.height = little24(bytes, 27) + 1;
  }
  return header;
}

// Segments (ITU-T T.81, annex B) up to the one that begins the frame.
ImageHeader jpeg(std::string_view bytes) {
  ImageHeader header{"image/jpeg"};
  for (std::size_t at = 2; at + 9 <= bytes.size();) {
    if (byte(bytes, at) != 0xff) return header;
    const std::uint32_t marker = byte(bytes, at + 1);
    if (marker == 0xff) {
      ++at;
      continue;
    }
    const bool alone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) {
      header.height = big16(bytes, at + 5);
      header.width = big16(bytes, at + 7);
      return header;
    }
    at += alone ? 2 : 2 + std::max<std::size_t>(2, big16(bytes, at + 2));
  }
  return header;
}

}  // namespace

ImageHeader read_image_header(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x89PNG\r\n\x1a\n")) return png(first_bytes);
  if (first_bytes.starts_with("\xff\xd8\xff")) return jpeg(first_bytes);
  if (first_bytes.starts_with("GIF87a") || first_bytes.starts_with("GIF89a")) return gif(first_bytes);
  if (first_bytes.starts_with("RIFF") && first_bytes.substr(0, 12).ends_with("WEBP")) return webp(first_bytes);
  return {};
}

}  // namespace magi
