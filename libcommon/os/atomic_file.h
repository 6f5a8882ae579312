// Whole-file replacement: a reader sees the old bytes or the new ones, a crash leaves one of them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/safe_open.h"

namespace magi::os {

// Names of files that are still being written, here and elsewhere under the home, begin so.
inline constexpr std::string_view kTemporaryPrefix = ".tmp.";

enum class Sync { kDurable, kNone };

// Writes a temporary file in the same folder and renames it over `name`; with kDurable both the bytes and the name are
// synced before it returns.  On an error the old file stands and the temporary one is gone.
Result<void> replace_file(const Dir& dir, std::string_view name, std::string_view bytes, Sync sync);

// All of a file; kLimit when it is larger than `max_bytes`.
Result<std::string> read_file(const Dir& dir, std::string_view name, std::size_t max_bytes);

}  // namespace magi::os
