// Opens that never follow a link and check what they got (requirement S5): folders are real, owned by the user and
// 0700 or stricter; files are regular, owned and 0600 or stricter.  What breaks a rule is refused with
// kUnsafe and a text that names the rule.  New folders are 0700 and new files 0600, whatever the umask.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::os {

enum class IfMissing { kFail, kCreate };

enum class FileUse {
  kRead,       // must exist
  kReadWrite,  // must exist
  kCreate,     // read and write; created when missing
  kCreateNew,  // read and write; kBusy when something has the name
  kAppend,     // O_APPEND, must exist
  kAppendNew,  // O_APPEND, kBusy when something has the name
};

struct FileStamp {
  std::uint64_t device = 0, inode = 0;
  std::uint64_t length = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
  bool same_file(const FileStamp& other) const { return device == other.device && inode == other.inode; }
};

Result<FileStamp> stamp_of(int fd, std::string_view path_for_errors);

// An open folder; everything below it is reached through it.
class Dir {
 public:
  // The top of a private tree.  `path` is absolute; it and its ancestors may be links (not dangling ones), but what it
  // names must be a folder owned by the user that nobody else can write.  kCreate makes missing ancestors too, and all
  // that it made is durable when it returns.
  static Result<Dir> open_top(std::string path, IfMissing if_missing);

  // A folder inside, one component.
  Result<Dir> subdir(std::string_view name, IfMissing if_missing) const;

  // A file inside, one component.
  Result<Fd> open_file(std::string_view name, FileUse use) const;

  // What `name` is now, without following it; kNotFound when nothing has the name.
  Result<FileStamp> stamp(std::string_view name) const;

  // A missing file is no error.
  Result<void> remove_file(std::string_view name) const;

  // Makes names created, renamed or removed inside durable.
  Result<void> sync() const;

  // Names inside, "." and ".." left out, in no order.
  Result<std::vector<std::string>> names() const;

  int fd() const { return fd_.get(); }
  // For messages only.
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const { return path_ + '/' + std::string(name); }

 private:
  Dir(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
};

}  // namespace magi::os
