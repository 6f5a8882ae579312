// The budget of a provider and model in this home: the one way to it for reports, preflight checks, boundary checks,
// displays and compaction (requirement K5), so that none of them can differ.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "libcommon/tokens/budget.h"

namespace magi::context {

struct KnownBudget {
  tokens::Budget budget;
  std::string notice;  // why the model catalog was passed over; empty: it was not
};

// Reads the provider's cached catalog, a file of at most 16 MiB.
KnownBudget budget_of(const config::Settings& settings, const session::Home& home, std::string_view provider,
                      std::string_view model);

}  // namespace magi::context
