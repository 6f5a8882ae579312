// Writing a ZIP through libzip, the only place that knows it: streaming, zip64 where sizes ask for it, flat memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::exporting {

// One file of the archive.
struct ZipMember {
  std::string name;  // UTF-8
  std::int64_t mtime_s = 0;
  // Called once the archive comes to this member, in the order of the list; then `read` until it gives 0.
  std::function<Result<void>()> open;
  std::function<Result<std::size_t>(char*, std::size_t)> read;
};

// Writes to `fd`, from its start.  `go_on` is asked now and then with the share that is done, 0 to 1; false:
// kCancelled. kNoSpace, kIo; an error of a member's functions as it came.
Result<void> write_zip(int fd, std::vector<ZipMember> members, const std::function<bool(double)>& go_on);

}  // namespace magi::exporting
