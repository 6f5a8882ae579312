// What stands before the conversation: the system prompt, the user's and the repository's AGENTS.md or CLAUDE.md (L6),
// the skills that there are (T5), and what the model should know of its surroundings.
#pragma once

#include <optional>
#include <string>

#include "libcommon/base/result.h"

namespace magi::code {

struct PromptSources {
  std::string home;  // of all state: prompts/system.md and AGENTS.md there
  std::string cwd;
  std::optional<std::string> replacement_file;  // --system-prompt-file
  std::optional<std::string> addition;          // --append-system-prompt
  std::string permissions;                      // the mode, as the model is told
  std::string skills = {};                      // what skills_section() gave
};

// Errors: a --system-prompt-file (kUsage) or a prompts/system.md that cannot be read.  Files that are absent are left
// out; one that is no regular file, or longer than 64 KiB, is left out or cut with a word about it in the text.
Result<std::string> build_instructions(const PromptSources& sources);

}  // namespace magi::code
