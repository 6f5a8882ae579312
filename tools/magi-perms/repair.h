// Gives what the inventory found the mode that it should have (requirement M1).
#pragma once

#include <string>

#include "libcommon/base/result.h"
#include "tools/magi-perms/inventory.h"

namespace magi::perms {

// How many were repaired.  Each path is walked anew from the home, without following a link, and left alone (kUnsafe)
// where it no longer names what the inventory saw; the first failure ends the repair.
Result<std::int64_t> repair_all(const std::string& home, const Inventory& inventory);

}  // namespace magi::perms
