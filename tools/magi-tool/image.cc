#include "tools/magi-tool/image.h"

#include <cstdint>

#include "tools/magi-tool/file_bytes.h"

namespace magi::toolbox {
namespace {

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])); };
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const std::uint32_t group = byte(at) << 16 | (left > 1 ? byte(at + 1) << 8 : 0) | (left > 2 ? byte(at + 2) : 0);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += left > 1 ? kDigits[group >> 6 & 63] : '=';
    out += left > 2 ? kDigits[group & 63] : '=';
  }
  return out;
}

}  // namespace

std::string_view image_type(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (first_bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (first_bytes.starts_with("GIF87a") || first_bytes.starts_with("GIF89a")) return "image/gif";
  if (first_bytes.starts_with("RIFF") && first_bytes.substr(0, 12).ends_with("WEBP")) return "image/webp";
  return {};
}

Result<event::Part> image_part(int fd, std::string_view media_type, std::string_view shown) {
  MAGI_TRY(FileBytes file, read_whole(fd, shown));
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  if (size > kLargestImage)
    return make_error(ErrorCode::kLimit, quoted(shown), " is an image of ", std::to_string(size), " bytes; at most ",
                      std::to_string(kLargestImage), " can be shown. Make a smaller copy first.");
  event::Part part;
  part.type = "image";
  part.media_type = media_type;
  part.sha256 = std::move(file.sha256);
  part.bytes = size;
  part.data = base64(file.bytes);
  return part;
}

}  // namespace magi::toolbox
