// The cached model catalog of a provider (requirement P5), as far as budgets need it:
//     {"models":[{"id":"model","context_window":400000,"max_input_tokens":272000,"max_output_tokens":128000}]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"

namespace magi::context {

// The model's context window: `context_window`, else `max_input_tokens`; never an output limit (K5).  Nothing where the
// catalog or the model is not there or says neither.  Error: a catalog that cannot be read.
Result<std::optional<std::int64_t>> catalog_window(const session::Home& home, std::string_view provider,
                                                   std::string_view model);

struct CatalogModel {
  std::string id;
  std::optional<std::int64_t> window;  // as catalog_window() gives it
};
// All models of the catalog in its order; none where there is no catalog.
Result<std::vector<CatalogModel>> catalog_models(const session::Home& home, std::string_view provider);

}  // namespace magi::context
