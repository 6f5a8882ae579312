// Effects of panels that change the disk and need nothing of a running session.  Blocks: call it away from the
// interface's thread.  The answer is for Panel::take() of the panel that asked.
#pragma once

#include "tools/magi-code/tui/load/load.h"

namespace magi::code::tui {

// The panel "settings": the settings as they are then, with what was refused.
Loaded carry_out(const Source& source, const SaveSettings& save);
// The panel "diff": the comments as they are then.
Loaded carry_out(const Source& source, const EditComment& edit);
// The panel "sessions": the list as it is then.  Requires: not the session that is open (its writer renames it:
// Journal, event::SessionTitle).
Loaded carry_out(const Source& source, const RenameSession& rename);
Loaded carry_out(const Source& source, const DeleteSession& removal);

}  // namespace magi::code::tui
