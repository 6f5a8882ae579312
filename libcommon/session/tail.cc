#include "libcommon/session/tail.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "libcommon/os/disk.h"

namespace magi::session {
namespace {

Result<std::string> read_back(int fd, std::uint64_t end, std::uint64_t size, std::string_view path) {
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const ssize_t count = os::disk().pread(fd, bytes.data() + used, size - used, static_cast<off_t>(end - size + used));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return errno_error("cannot read " + quoted(path), count < 0 ? errno : EIO);
    used += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

Result<std::uint64_t> torn_tail_bytes(int session_fd, std::uint64_t length, std::string_view path) {
  if (length == 0) return std::uint64_t{0};
  std::uint64_t size = 1;
  while (true) {
    MAGI_TRY(const std::string text, read_back(session_fd, length, size, path));
    if (text.back() == '\n') return std::uint64_t{0};
    const std::size_t lf = text.rfind('\n');
    const bool whole_line = lf != std::string::npos || size == length;
    if (whole_line) {
      const std::string_view line = std::string_view(text).substr(lf == std::string::npos ? 0 : lf + 1);
      json::Parser parser;
      const auto root = parser.parse(line);
      return root && event::parse_session_event(*root) ? 0 : line.size();
    }
    if (size > kMaxRecordBytes) return size;
    size = std::min(length, std::max<std::uint64_t>(size * 8, 4096));
  }
}

}  // namespace magi::session
