// Puts new content under a name: a reader sees the old bytes or the new ones and a crash leaves one of them.  What
// makes a file the user's own stays: mode, owner, extended attributes, hard links (FIL-09, FIL-17).
#pragma once

#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tool/file_bytes.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

// `old` is what the name held when it was read; null: nothing, and the file is made with mode 0666 less the umask.
// Errors, all with the name's content as it was:
//   kBusy    someone changed, removed or created the file since; their change stands (FIL-12)
//   kDenied  the file is not writable for the user, by its mode for nobody
//   others   the disk
// A file with several names is written in place, since replacing it would part them: there a crash can leave a mixture.
// The value is the stamp of what was written.
Result<Stamp> publish(const Workspace::Slot& slot, std::string_view content, const FileBytes* old,
                      std::string_view shown);

}  // namespace magi::toolbox
