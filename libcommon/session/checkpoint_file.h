// A file that a ledger names, reached from its recorded folder one component at a time, no link followed.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "libcommon/session/ledger_record.h"

namespace magi::session {

struct FoundFile {
  os::Fd folder;  // that holds it
  std::string name;
  std::optional<FileState> state;  // nothing: no such file
  struct stat status {};           // as of its reading; where there is one
};

// kNotFound: a folder on the way is gone.  kUnsafe: a link or something else that is no folder stands on the way, or
// what has the name is no regular file.  kBusy: it changed while it was read.  `make_folders`: missing ones are made
// and counted in `made`.
Result<FoundFile> find_file(const std::string& root, std::string_view path, bool make_folders = false,
                            std::int64_t* made = nullptr);

// The bytes that belong to its state; kBusy where they are not there any more.
Result<std::string> read_found(const FoundFile& found, std::string_view path);

// Removes the `count` innermost folders of `path`, as far as they are empty.
void remove_empty_folders(const std::string& root, std::string_view path, std::int64_t count);

}  // namespace magi::session
