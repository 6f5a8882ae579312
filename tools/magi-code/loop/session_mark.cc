#include "tools/magi-code/loop/session_mark.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "libcommon/digest/sha256.h"

namespace magi::code {
namespace {

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

Result<SessionMark> SessionMark::take(const session::Home& home, std::string_view id, session::Family family,
                                      std::int64_t generation) {
  MAGI_TRY(const os::Fd fd, session::open_session_for_reading(home, id, family));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return errno_error("cannot look at session " + quoted(id), errno);
  SessionMark mark{std::string(id),
                   generation,
                   info.st_dev,
                   info.st_ino,
                   static_cast<std::uint64_t>(info.st_size),
                   nanoseconds(info.st_mtim),
                   nanoseconds(info.st_ctim),
                   {}};
  std::vector<char> newest(std::min<std::uint64_t>(mark.length, kDigestedBytes));
  std::size_t read = 0;
  while (read < newest.size()) {
    const auto from = static_cast<off_t>(mark.length - newest.size() + read);
    const ssize_t count = ::pread(fd.get(), newest.data() + read, newest.size() - read, from);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("cannot read session " + quoted(id), errno);
    if (count == 0) break;  // cut while it was read: no mark of the whole file will equal this one
    read += static_cast<std::size_t>(count);
  }
  mark.newest_digest = sha256_hex({newest.data(), read});
  return mark;
}

}  // namespace magi::code
