#include "tools/magi-code/prompt/image_part.h"

#include <fcntl.h>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxImageBytes = 5'000'000;

std::string_view media_type_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "image/webp";
  return {};
}

// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kAlphabet[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace

Result<event::Part> image_part(const std::string& path) {
  const os::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return make_error(ErrorCode::kUsage, errno_error("--image: cannot open " + quoted(path), errno).what);
  auto bytes = os::read_all(file.get(), kMaxImageBytes);
  if (!bytes) return make_error(ErrorCode::kUsage, "--image: ", quoted(path), " is larger than 5 MB or cannot be read");
  const std::string_view media_type = media_type_of(*bytes);
  if (media_type.empty())
    return make_error(ErrorCode::kUsage, "--image: ", quoted(path), " is no PNG, JPEG, GIF or WebP file");
  event::Part part;
  part.type = "image";
  part.media_type = media_type;
  part.sha256 = sha256_hex(*bytes);
  part.bytes = static_cast<std::int64_t>(bytes->size());
  part.data = base64(*bytes);
  return part;
}

}  // namespace magi::code
