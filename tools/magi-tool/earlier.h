// What the model saw of files before this process: read from the session's own record of earlier results, so that a
// stale write is refused after a resume too (FIL-11).
#pragma once

#include <string_view>

#include "libcommon/session/paths.h"
#include "tools/magi-tool/observed.h"

namespace magi::toolbox {

// Learns `details.observed` of the results that session `id` holds, of those that were written with the working
// directory `root`: paths are relative to it.  Reads the file once, blocking; what cannot be read teaches nothing.
void learn_earlier(const session::Home& home, std::string_view id, std::string_view root, Observed& observed);

}  // namespace magi::toolbox
