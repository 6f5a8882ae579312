// A look at everything that belongs to sessions: what has a mode that others can use, and what must be looked at by
// hand. Reads names and attributes only; follows no link, opens no file, and enters known folders alone.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::perms {

inline constexpr mode_t kFileMode = 0600, kFolderMode = 0700;

struct Repair {
  std::string path;  // below the home
  bool is_folder = false;
  mode_t mode = 0;
  std::uint64_t device = 0, inode = 0;  // what was seen
  mode_t new_mode() const { return is_folder ? kFolderMode : kFileMode; }
};

struct Doubt {
  std::string path;    // below the home
  std::string reason;  // "a link", "owned by another user", ...
};

struct Inventory {
  std::vector<Repair> repairs;  // folders before what they hold
  std::vector<Doubt> doubts;
  std::int64_t looked_at = 0;
};

// Empty where the home or its sessions do not exist.  kConfig: the home itself cannot be used.
Result<Inventory> take_inventory(const std::string& home);

}  // namespace magi::perms
