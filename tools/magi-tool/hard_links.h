// Files with several names.  A change is written in place, so that they stay one file; where one of the names may lie
// outside the workspace, that would change a file there.
#pragma once

#include <sys/stat.h>

#include "libcommon/base/result.h"
#include "tools/magi-tool/call.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

// kDenied with `needs_approval` where not all names of the file are found in the root and the added folders, unless the
// call is approved or the mode is full.  Looks through the folders, up to 500,000 entries, where there are several
// names.
Result<void> check_hard_links(Call& call, const Place& place, const struct stat& status);

}  // namespace magi::toolbox
