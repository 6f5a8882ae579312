// A session that is reopened, as the transcript that it was.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libcommon/session/paths.h"
#include "tools/magi-code/tui/transcript/transcript.h"

namespace magi::code::tui {

// From what magi-replay wrote.  What cannot be read is left out, and said so.
std::unique_ptr<Transcript> transcript_of(std::string_view stream);

// The prompt that a conversation was rewound to and that was not sent yet: the session's last event is the note of the
// rewind (requirement F2).  Empty: there is none.  Blocks on the disk.
std::string unsent_draft(const session::Home& home, const std::string& id);

}  // namespace magi::code::tui
