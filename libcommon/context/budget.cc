#include "libcommon/context/budget.h"

#include "libcommon/context/model_catalog.h"

namespace magi::context {

KnownBudget budget_of(const config::Settings& settings, const session::Home& home, std::string_view provider,
                      std::string_view model) {
  const auto window = catalog_window(home, provider, model);
  return {tokens::resolve_budget(settings, provider, model, window ? *window : std::nullopt),
          window ? std::string() : window.error().what};
}

}  // namespace magi::context
