#include "libcommon/session/tail.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "libcommon/os/disk.h"
#include "libcommon/session/each_event.h"

namespace magi::session {
namespace {

Result<std::string> read_part(int fd, std::uint64_t from, std::uint64_t size, std::string_view path) {
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const ssize_t count = os::disk().pread(fd, bytes.data() + used, size - used, static_cast<off_t>(from + used));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return errno_error("cannot read " + quoted(path), count < 0 ? errno : EIO);
    used += static_cast<std::size_t>(count);
  }
  return bytes;
}

// Where the last line begins; `length` where the file ends with LF.  Looks no further back than a line may be long.
Result<std::uint64_t> last_line_start(int fd, std::uint64_t length, std::string_view path) {
  constexpr std::uint64_t kFirstBytes = 4096, kBlockBytes = 256 * 1024;
  const std::uint64_t bound = length > kMaxSessionLineBytes ? length - kMaxSessionLineBytes : 0;
  std::uint64_t end = length;
  while (end > bound) {
    const std::uint64_t size = std::min(end - bound, end == length ? kFirstBytes : kBlockBytes);
    MAGI_TRY(const std::string block, read_part(fd, end - size, size, path));
    if (const std::size_t lf = block.rfind('\n'); lf != std::string::npos) return end - size + lf + 1;
    end -= size;
  }
  return end;
}

}  // namespace

Result<std::uint64_t> torn_tail_bytes(int session_fd, std::uint64_t length, std::string_view path) {
  MAGI_TRY(const std::uint64_t start, last_line_start(session_fd, length, path));
  const std::uint64_t size = length - start;
  if (size == 0 || size >= kMaxSessionLineBytes) return size;
  MAGI_TRY(const std::string line, read_part(session_fd, start, size, path));
  json::Parser parser;
  const auto root = parser.parse(line);
  return root && event::parse_session_event(*root) ? 0 : size;
}

}  // namespace magi::session
