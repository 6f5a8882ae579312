// The end of a session file that a crash may have torn.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::session {

// Longest record that is looked at; a longer last line without LF counts as torn.
inline constexpr std::uint64_t kMaxRecordBytes = 64 * 1024 * 1024;

// Bytes of the last line when it has no LF and is no whole event; 0 when the file ends well.
Result<std::uint64_t> torn_tail_bytes(int session_fd, std::uint64_t length, std::string_view path_for_errors);

}  // namespace magi::session
