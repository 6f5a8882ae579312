#include "libcommon/session/event_ids.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "libcommon/base/clock.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/lease.h"
#include "libcommon/os/retry.h"
#include "libcommon/session/paths.h"

namespace magi::session {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// Digits and one LF, nothing else.
std::optional<std::uint64_t> parse_counter(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<void> overwrite(const os::Dir& dir, std::string_view bytes) {
  const std::string path = dir.path_of(file::kEventIds);
  MAGI_TRY(const os::Fd fd, dir.open_file(file::kEventIds, os::FileUse::kReadWrite));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = os::retry([&] {
      return os::disk().pwrite(fd.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    });
    if (count <= 0) return errno_error("cannot write " + quoted(path), count < 0 ? errno : EIO);
    done += static_cast<std::size_t>(count);
  }
  if (os::retry([&] { return os::disk().fdatasync(fd.get()); }) != 0)
    return errno_error("cannot sync " + quoted(path), errno);
  return {};
}

// The first number of a new block of `count`, which is reserved on the disk.
Result<std::uint64_t> reserve_block(const os::Dir& sessions, const os::Dir& locks, std::uint64_t count) {
  constexpr std::size_t kLongestCounter = 64;
  MAGI_TRY(const os::Lease lock, os::Lease::acquire(locks, file::kEventIdsLock, os::kMutationTimeoutMs));
  const auto old_text = os::read_file(sessions, file::kEventIds, kLongestCounter);
  std::uint64_t first = 0;
  if (old_text) {
    const auto counter = parse_counter(*old_text);
    if (!counter || *counter > kLargest - count)
      return make_error(ErrorCode::kBadRecord, "event counter ", quoted(sessions.path_of(file::kEventIds)),
                        " is corrupt");
    first = *counter;
  } else if (old_text.error().code == ErrorCode::kNotFound) {
    first = static_cast<std::uint64_t>(unix_time_ms()) << 20;
  } else {
    return old_text.error();
  }
  const std::string text = std::to_string(first + count) + '\n';
  if (old_text && old_text->size() == text.size())
    MAGI_CHECK(overwrite(sessions, text));
  else
    MAGI_CHECK(os::replace_file(sessions, file::kEventIds, text, os::Sync::kDurable));
  return first;
}

}  // namespace

Result<void> EventIds::reserve(std::uint64_t count) {
  if (end_ - next_ >= count) return {};
  const std::uint64_t block = std::max(count, kEventIdBlock);
  MAGI_TRY(next_, reserve_block(*sessions_, *locks_, block));
  end_ = next_ + block;
  return {};
}

Result<std::string> EventIds::next() {
  MAGI_CHECK(reserve(1));
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, next_++, 16).ptr;
  return std::string(digits, end);
}

}  // namespace magi::session
