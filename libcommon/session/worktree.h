// Which working tree a folder belongs to.
#pragma once

#include <string>

namespace magi::session {

// The identity of the working tree that `cwd` lies in: the real path of the repository that all its linked Git
// worktrees share, else the real path of `cwd`; `cwd` itself when it is gone.  Reads a few small files, never runs git.
std::string worktree_of(const std::string& cwd);

}  // namespace magi::session
