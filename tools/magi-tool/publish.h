// Puts new content under a name that a tool has looked at: os::publish() for what the tools know of a file.
#pragma once

#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/publish.h"
#include "tools/magi-tool/file_bytes.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

// `old` is what the name held when it was read; null: nothing, and the file is made with mode 0666 less the umask.
// Errors as those of os::publish().  The value is the status of what was written.
Result<struct stat> publish(const Workspace::Slot& slot, os::NewContent content, const FileBytes* old,
                            std::string_view shown);

}  // namespace magi::toolbox
