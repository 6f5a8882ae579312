// Appending whole records to a line file that other processes read, append to and may replace by rename.
//
// An append takes the shared mutation lock, checks that the name still stands for the open file (and reopens it if
// not), and hands all its records to one O_APPEND write.  Where the last line lacks its LF, the write begins with one,
// so that a torn tail never swallows a record.  A write that fails is taken back.  Writers normally hold the file's
// lease; without it, concurrent appends stay whole as long as none fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/mutation_lock.h"
#include "libcommon/os/safe_open.h"

namespace magi::os {

enum class AppendOutcome {
  kDone,        // in the file, and on the disk if that was asked
  kRolledBack,  // not in the file; it is as it was
  kUncertain,   // part or all of it may be in the file, now or after a crash; append no more
};

struct AppendResult {
  AppendOutcome outcome = AppendOutcome::kDone;
  Error error;                   // why, unless kDone; kNoSpace where the disk is full
  bool reopened = false;         // the name stood for another file than before
  bool ended_torn_line = false;  // the last line lacked its LF
};

class AppendFile {
 public:
  // kAppendNew creates the file; its name is durable only after Dir::sync(), which is the caller's.
  // `dir` must outlive this object.
  static Result<AppendFile> open(const Dir& dir, std::string name, FileUse use, MutationLock lock);

  // Requires: `records` is one or more lines, each ending in LF.  `durable`: synced to the disk before it returns.
  // Bounded: waits at most kMutationTimeoutMs for the lock; then kRolledBack with kBusy.
  AppendResult append(std::string_view records, bool durable);

  // Brings this object in line with what the name stands for, as append() does by itself.  True when that is another
  // file.
  Result<bool> follow_name();

  // Syncs what earlier appends left unsynced.
  Result<void> sync();

  // As of the last append or open.
  const FileStamp& stamp() const { return stamp_; }
  // With a fresh mtime.
  Result<FileStamp> fresh_stamp() const;
  // The open file, for reading with pread.
  int fd() const { return fd_.get(); }

 private:
  AppendFile(const Dir& dir, std::string name, Fd fd, MutationLock lock, const FileStamp& stamp)
      : dir_(&dir), name_(std::move(name)), fd_(std::move(fd)), lock_(std::move(lock)), stamp_(stamp) {}
  Result<bool> ends_torn() const;
  AppendResult append_under(MutationLock::Mode mode, std::string_view records, bool& torn);
  AppendResult write_locked(std::string_view records);
  AppendResult take_back(std::uint64_t written, Error why);

  const Dir* dir_;
  std::string name_;
  Fd fd_;
  MutationLock lock_;
  FileStamp stamp_;
  std::uint64_t whole_end_ = 0;  // the file is known to end in LF at this length; 0: not known
  bool unsynced_ = false;
};

}  // namespace magi::os
