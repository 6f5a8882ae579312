// The prompts of earlier days: state/prompt-history.jsonl in the home, one JSON string a line, oldest first, the user's
// alone (0600), secrets masked, bounded.  Blocks on the disk; several processes may append.
#pragma once

#include <string>
#include <vector>

#include "libcommon/session/paths.h"

namespace magi::code::tui {

// At most the newest 1,000 prompts; nothing where there is none or it cannot be read.
std::vector<std::string> read_prompts(const session::Home& home);

// Prompts of more than 16 KiB are not kept.  Failures are silent: the history is a convenience.
void remember_prompt(const session::Home& home, std::string text);

}  // namespace magi::code::tui
