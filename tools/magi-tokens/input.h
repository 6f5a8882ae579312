// Files and standard input in pieces that can be counted apart.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::measure {

inline constexpr std::size_t kChunkBytes = 256 * 1024;

// Calls `take` with the bytes of the file, cut only where tokens end on both sides (o200k::is_split), so that a chunk
// grows past kChunkBytes where there is no such place.  No name, or "-": standard input.  At most `max_bytes` are read.
// A chunk is handed over, and what `take` leaves in it is used again.
Result<void> read_chunks(const std::string& name, std::size_t max_bytes, const std::function<void(std::string&)>& take);

}  // namespace magi::measure
