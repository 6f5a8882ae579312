// What the tools of a session changed, as `magi-code changes` and /changes list it.
#pragma once

#include <string>

#include "libcommon/session/paths.h"

namespace magi::code {

// Text for a terminal, LF at its end; why there is none where it cannot be read.  `session_id` empty: no session.
std::string changes_text(const session::Home& home, const std::string& session_id);

}  // namespace magi::code
