#include "tools/magi-tool/image.h"

#include <algorithm>

#include "libcommon/base/base64.h"
#include "libcommon/base/image_header.h"
#include "tools/magi-tool/file_bytes.h"

namespace magi::toolbox {

Result<event::Part> image_part(int fd, std::string_view media_type, std::string_view shown) {
  MAGI_TRY(FileBytes file, read_whole(fd, shown));
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  if (size > kLargestImage)
    return make_error(ErrorCode::kLimit, quoted(shown), " is an image of ", std::to_string(size), " bytes; at most ",
                      std::to_string(kLargestImage), " can be shown. Make a smaller copy first.");
  if (const ImageHeader header = read_image_header(file.bytes); std::max(header.width, header.height) > kMostPixels)
    return make_error(ErrorCode::kLimit, quoted(shown), " is an image of ", std::to_string(header.width), " x ",
                      std::to_string(header.height), " pixels; at most ", std::to_string(kMostPixels),
                      " a side can be shown. Make a smaller copy first.");
  event::Part part;
  part.type = "image";
  part.media_type = media_type;
  part.sha256 = std::move(file.sha256);
  part.bytes = size;
  part.data = base64(file.bytes);
  return part;
}

}  // namespace magi::toolbox
