// What `@` and `$` complete.  Blocks on the disk and on a child, within bounds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcommon/session/paths.h"
#include "tools/magi-code/tui/editor/completion.h"

namespace magi::code::tui {

// Files and folders below `cwd`, relative to it, at most 50,000: what git tracks or would track where it is a worktree,
// else what is found by walking, without hidden names.  `environment`: of the child.
Candidates list_files(const std::string& cwd, const std::vector<std::string>& environment, const std::string& path);

// Skills of the user and of the project, with what they are for.
Candidates list_skills(const session::Home& home, const std::string& cwd);

}  // namespace magi::code::tui
