#include "tools/magi-provider/image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/base/base64.h"
#include "libcommon/base/error.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::provider {
namespace {

// The smallest limit of the APIs (Anthropic, for one image).
constexpr std::size_t kMaxImageBytes = 5u << 20;

constexpr std::string_view kMediaTypes[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};

Result<std::string> read_image(const std::string& path) {
  // Non-blocking, so that a pipe that nobody writes to does not hold the request.
  const os::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return errno_error("cannot open", errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return make_error(ErrorCode::kIo, "not a regular file");
  return os::read_all(file.get(), kMaxImageBytes);
}

bool is_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

Image absent(std::string_view why) { return {{}, {}, "[an image stood here: " + std::string(why) + "]"}; }

}  // namespace

Image load_image(const event::Part& part) {
  if (std::find(std::begin(kMediaTypes), std::end(kMediaTypes), part.media_type) == std::end(kMediaTypes))
    return absent("models do not read " + (part.media_type.empty() ? "its kind" : quoted(part.media_type)));
  if (!part.data.empty()) {
    if (!is_base64(part.data)) return absent("its data is no base64");
    if (part.data.size() / 4 * 3 > kMaxImageBytes) return absent("it is larger than 5 MB");
    return {part.media_type, part.data, {}};
  }
  auto bytes = read_image(part.path);
  if (!bytes)
    return absent(bytes.error().code == ErrorCode::kLimit ? "it is larger than 5 MB" : "its file cannot be read");
  if (!part.sha256.empty() && sha256_hex(*bytes) != part.sha256) return absent("its file has changed");
  return {part.media_type, base64(*bytes), {}};
}

std::vector<Image> load_images(const std::vector<event::Part>& parts) {
  std::vector<Image> images;
  for (const event::Part& part : parts)
    if (part.type == "image") images.push_back(load_image(part));
  return images;
}

}  // namespace magi::provider
