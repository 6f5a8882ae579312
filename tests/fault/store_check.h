// What must hold of a home after anything that happened to it: for CrashScenario::check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/session/paths.h"

namespace magi::test {

// Every session lists, replays, opens for writing and takes an append, which stands on a line of its own and replays
// again; every event ID in `acknowledged` is in a session file or an archive; no event ID is there twice, but for
// archives, whose events are copies.  Appends to each session.
void expect_store_is_sound(const session::Home& home, const std::vector<std::string>& acknowledged);

// IDs of the whole events in a file of sessions.  A line that is none is passed over.
std::vector<std::string> event_ids_in(std::string_view text);

}  // namespace magi::test
