#include "libcommon/os/append.h"

#include <cerrno>

#include "libcommon/os/disk.h"
#include "libcommon/os/retry.h"

namespace magi::os {
namespace {

AppendResult rolled_back(Error why) { return {AppendOutcome::kRolledBack, std::move(why)}; }
AppendResult uncertain(Error why) { return {AppendOutcome::kUncertain, std::move(why)}; }

}  // namespace

Result<AppendFile> AppendFile::open(const Dir& dir, std::string name, FileUse use, MutationLock lock) {
  MAGI_TRY(Fd fd, dir.open_file(name, use));
  auto stamp = stamp_of(fd.get(), dir.path_of(name));
  if (stamp) return AppendFile(dir, std::move(name), std::move(fd), std::move(lock), *stamp);
  if (use == FileUse::kAppendNew) static_cast<void>(dir.remove_file(name));  // as if it had not been made
  return std::move(stamp.error());
}

Result<bool> AppendFile::follow_name() {
  MAGI_TRY(const FileStamp now, dir_->stamp(name_));
  if (now.same_file(stamp_)) {
    stamp_ = now;
    return false;
  }
  MAGI_TRY(Fd fd, dir_->open_file(name_, FileUse::kAppend));
  MAGI_TRY(stamp_, stamp_of(fd.get(), dir_->path_of(name_)));
  fd_ = std::move(fd);
  whole_end_ = 0;
  unsynced_ = false;  // whoever replaced the file synced what it copied
  return true;
}

Result<bool> AppendFile::ends_torn() const {
  if (stamp_.length == 0 || stamp_.length == whole_end_) return false;
  char last = '\n';
  if (retry([&] { return disk().pread(fd_.get(), &last, 1, static_cast<off_t>(stamp_.length - 1)); }) < 0) {
    const int why = errno;
    return errno_error("cannot read " + quoted(dir_->path_of(name_)), why);
  }
  return last != '\n';
}

AppendResult AppendFile::append(std::string_view records, bool durable) {
  bool torn = false;
  AppendResult result = append_under(MutationLock::Mode::kShared, records, torn);
  // Beside other writers a file without its last LF may be one that is just growing; alone, it is torn.
  if (torn) {
    const bool reopened = result.reopened;
    result = append_under(MutationLock::Mode::kExclusive, records, torn);
    result.reopened |= reopened;
  }
  if (result.outcome != AppendOutcome::kDone || !durable) return result;
  if (auto synced = sync(); !synced) {
    result.outcome = AppendOutcome::kUncertain;
    result.error = std::move(synced.error());
  }
  return result;
}

// With the shared lock nothing is written where the file looks torn: `torn` tells.
AppendResult AppendFile::append_under(MutationLock::Mode mode, std::string_view records, bool& torn) {
  torn = false;
  auto held = lock_.acquire(mode);
  if (!held) return rolled_back(std::move(held.error()));
  auto followed = follow_name();
  if (!followed) return rolled_back(std::move(followed.error()));
  auto ends = ends_torn();
  if (!ends) return rolled_back(std::move(ends.error()));
  torn = *ends;
  AppendResult result;
  if (!torn)
    result = write_locked(records);
  else if (mode == MutationLock::Mode::kExclusive)
    result = write_locked('\n' + std::string(records));
  result.reopened = *followed;
  result.ended_torn_line = torn;
  return result;
}

AppendResult AppendFile::write_locked(std::string_view records) {
  std::uint64_t written = 0;
  while (written < records.size()) {
    const ssize_t count =
        retry([&] { return disk().write(fd_.get(), records.data() + written, records.size() - written); });
    if (count <= 0) {
      const int why = count < 0 ? errno : EIO;
      return take_back(written, errno_error("cannot append to " + quoted(dir_->path_of(name_)), why));
    }
    written += static_cast<std::uint64_t>(count);
  }
  stamp_.length += written;
  whole_end_ = stamp_.length;
  unsynced_ = true;
  return {};
}

AppendResult AppendFile::take_back(std::uint64_t written, Error why) {
  if (written == 0) return rolled_back(std::move(why));
  const auto now = stamp_of(fd_.get(), dir_->path_of(name_));
  // Bytes of someone else behind ours must not be cut off with them.
  if (!now || now->length != stamp_.length + written) return uncertain(std::move(why));
  if (retry([&] { return disk().ftruncate(fd_.get(), static_cast<off_t>(stamp_.length)); }) != 0)
    return uncertain(std::move(why));
  return rolled_back(std::move(why));
}

Result<void> AppendFile::sync() {
  if (!unsynced_) return {};
  if (retry([&] { return disk().fdatasync(fd_.get()); }) != 0) {
    const int why = errno;
    return errno_error("cannot sync " + quoted(dir_->path_of(name_)), why);
  }
  unsynced_ = false;
  return {};
}

Result<FileStamp> AppendFile::fresh_stamp() const { return stamp_of(fd_.get(), dir_->path_of(name_)); }

}  // namespace magi::os
