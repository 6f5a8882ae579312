// A whole file in memory, with what is needed to tell later whether it is still the same.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tool/observed.h"

namespace magi::toolbox {

// Files beyond this are read in windows only, and not edited.
inline constexpr std::int64_t kLargestEdited = 256 * 1024 * 1024;

struct FileBytes {
  std::string bytes;
  struct stat status;
  std::string sha256;  // empty beyond kLargestHashed
  Stamp stamp() const { return stamp_of(status); }
};

// Reads `fd`, a regular file, from its start.  kLimit: too large.  kBusy: it changed meanwhile.
Result<FileBytes> read_whole(int fd, std::string_view shown);

}  // namespace magi::toolbox
