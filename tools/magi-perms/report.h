// The table of what would change and of what must be looked at by hand.
#pragma once

#include <optional>
#include <string>

#include "tools/magi-perms/inventory.h"

namespace magi::perms {

std::string as_table(const Inventory& inventory);
// `repaired`: nothing where nothing was to be changed.
std::string as_json(const Inventory& inventory, std::optional<std::int64_t> repaired);

}  // namespace magi::perms
