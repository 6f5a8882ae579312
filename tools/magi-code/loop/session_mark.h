// What the file of a session is at one moment: by this it is known whether anyone but this process has changed it, and
// so whether what memory holds of it may be used once more (R11).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"

namespace magi::code {

// Equal marks: the same session, generation and file, unchanged.  Size and times alone prove nothing (another process
// may write within one tick of the clock, or set them back), so the newest bytes are digested too.
struct SessionMark {
  std::string session_id;
  std::int64_t generation = 0;
  std::uint64_t device = 0, inode = 0, length = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  std::string newest_digest;  // of the last kDigestedBytes

  static constexpr std::size_t kDigestedBytes = 16 * 1024;

  // Costs some 80 us.  Error: the file cannot be read, or is no safe session file.
  static Result<SessionMark> take(const session::Home& home, std::string_view id, session::Family family,
                                  std::int64_t generation);
  bool operator==(const SessionMark&) const = default;
};

}  // namespace magi::code
