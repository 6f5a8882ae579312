// Landlock: which files a command may write and read.  Nothing here acts on the calling process except restrict_self().
#pragma once

#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::confine {

// Newest ABI that this source makes use of (Linux 6.15).
inline constexpr int kNewestAbi = 7;

// The kernel's ABI, at most `limit`; 0 where there is no Landlock.
int landlock_abi(int limit);

struct FilePolicy {
  std::vector<std::string> write;  // absolute; each must exist
  std::vector<std::string> hide;   // absolute; need not exist
};

// kDenied where a hidden path lies beneath a writable one: Landlock could not hide it, and what stands beside it, such
// as the settings that say what a command may do, could be changed.
Result<void> check_policy(const FilePolicy& policy);

// A ruleset for restrict_self().  Landlock can only allow, so hiding means to allow what stands beside the hidden
// paths: what is created beside them later cannot be read either.  Devices other than the harmless ones are never
// readable when something is hidden, since a disk could be read past the rules. kDenied: this kernel cannot.
// Requires: check_policy().
Result<os::Fd> make_ruleset(const FilePolicy& policy, int abi);

// The calling thread and what it starts.  Requires: no_new_privs is set.
Result<void> restrict_self(int ruleset);

// Absolute, links resolved as far as the path exists; the rest stays as it is.
std::string resolve_existing(const std::string& path);
// True when `path` is `folder` or lies beneath it.  Both absolute and resolved.
bool is_beneath(const std::string& path, const std::string& folder);

}  // namespace magi::confine
