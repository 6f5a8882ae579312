// Other programs that use the terminal for a while.  Requires: it was released.  Blocks until they end.
#pragma once

#include <string>
#include <vector>

#include "tools/magi-code/command/assembly.h"

namespace magi::code::tui {

// `text` as $VISUAL, $EDITOR or vi leave it.
Result<std::string> edit_externally(const Setting& setting, const std::string& text);

// A tool of ours with its operands, keys of providers in its environment.  Where it fails, waits for Enter, so that its
// message can be read.  The exit status.
Result<int> run_on_terminal(const Setting& setting, const std::string& program, const std::vector<std::string>& args);

}  // namespace magi::code::tui
