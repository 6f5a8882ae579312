#include "tools/magi-export/exports_folder.h"

#include <cerrno>

#include "libcommon/base/clock.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"

namespace magi::exporting {
namespace {

constexpr mode_t kPrivate = 0600;
constexpr int kMostNames = 10000;

// "20261130T100001Z"
std::string compact_utc(std::int64_t unix_ms) {
  std::string text;
  for (const char c : format_rfc3339(unix_ms).substr(0, 19))
    if (c != '-' && c != ':') text += c;
  return text + 'Z';
}

}  // namespace

Result<Unpublished> Unpublished::create(const session::Home& home) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), os::IfMissing::kFail));
  MAGI_TRY(os::Dir folder, top.subdir(session::file::kExports, os::IfMissing::kCreate));
  os::Fd unnamed(os::disk().openat(folder.fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kPrivate));
  if (unnamed) return Unpublished(std::move(folder), std::move(unnamed), "");
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)
    return errno_error("cannot write to " + quoted(folder.path()), errno);
  std::string name = std::string(os::kTemporaryPrefix) + session::new_session_id(unix_time_ms());
  MAGI_TRY(os::Fd file, folder.open_file(name, os::FileUse::kCreateNew));
  return Unpublished(std::move(folder), std::move(file), std::move(name));
}

Unpublished::~Unpublished() {
  if (file_ && !temporary_.empty()) static_cast<void>(folder_.remove_file(temporary_));
}

Result<std::string> Unpublished::publish(std::string_view session_id, std::int64_t unix_ms) {
  if (os::disk().fsync(fd()) != 0) return errno_error("cannot sync the archive", errno);
  const std::string base = std::string(session_id) + '-' + compact_utc(unix_ms);
  const std::string source = temporary_.empty() ? "/proc/self/fd/" + std::to_string(fd()) : temporary_;
  for (int n = 1; n <= kMostNames; ++n) {
    const std::string name = base + (n == 1 ? "" : "-" + std::to_string(n)) + ".zip";
    const int from = temporary_.empty() ? AT_FDCWD : folder_.fd();
    if (os::disk().linkat(from, source.c_str(), folder_.fd(), name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      MAGI_CHECK(folder_.sync());
      return folder_.path_of(name);
    }
    if (errno != EEXIST) return errno_error("cannot publish " + quoted(folder_.path_of(name)), errno);
  }
  return make_error(ErrorCode::kIo, "every name like ", quoted(base + ".zip"), " is taken");
}

}  // namespace magi::exporting
