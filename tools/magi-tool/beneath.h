// Opens that cannot leave a folder, whatever links, "..", or renames say: openat2(2), or the same component by
// component where the kernel has no such call.
#pragma once

#include <string>

#include <sys/types.h>

#include "libcommon/os/fd.h"

namespace magi::toolbox {

enum class Links { kFollow, kRefuse };

// A descriptor, close-on-exec; an empty one leaves the reason in errno.  EXDEV: the path leads out of `folder`.  Links
// are followed while they stay inside (an absolute one never does); links of /proc never.
os::Fd open_beneath(int folder, const std::string& path, int flags, mode_t mode = 0, Links links = Links::kFollow);

// The same without openat2, for older kernels and for tests.
os::Fd walk_beneath(int folder, const std::string& path, int flags, mode_t mode = 0, Links links = Links::kFollow);

}  // namespace magi::toolbox
