#include "libcommon/tokens/budget.h"

#include <algorithm>
#include <cmath>

namespace magi::tokens {
namespace {

constexpr std::string_view kOverride = "model override", kCatalog = "model catalog", kLimit = "provider limit";

std::string source(const config::Settings& settings, std::string_view key) {
  return std::string(config::source_name(settings.source_of(key)));
}

// ceil(tokens * percent / 100).  No overflow: settings allow at most 10^9 tokens.
std::int64_t share(std::int64_t tokens, std::int64_t percent) { return (tokens * percent + 99) / 100; }

// The first threshold reached; nothing where none is set.
std::optional<std::int64_t> cutoff(std::int64_t max_tokens, std::optional<std::int64_t> percent,
                                   std::optional<std::int64_t> tokens) {
  std::optional<std::int64_t> least = tokens;
  if (percent) least = std::min(least.value_or(INT64_MAX), share(max_tokens, *percent));
  return least;
}

// Whether compaction of a claude-subscription conversation is a request to claude-subscription too (C1, K6).
bool compacts_itself(const config::CompactionSettings& compaction) {
  const bool selects = !compaction.provider.empty() && !compaction.model.empty();
  return !selects || compaction.provider == kClaudeSubscription;
}

class Resolver {
 public:
  Resolver(const config::Settings& settings, std::string_view provider, std::string_view model)
      : settings_(settings), is_subscription_(provider == kClaudeSubscription) {
    const auto found = settings.context.model_overrides.find(std::string(provider) + "/" + std::string(model));
    if (found != settings.context.model_overrides.end()) override_ = found->second;
  }

  Budget resolve(std::optional<std::int64_t> window) {
    budget_.enabled = settings_.context.enabled;
    resolve_max(window);
    resolve_reserve();
    budget_.usable = std::max<std::int64_t>(0, budget_.max_tokens - budget_.reserve_tokens);
    budget_.capacity = is_subscription_ ? budget_.usable : budget_.max_tokens;
    budget_.summary_limit = is_subscription_ ? budget_.max_tokens : budget_.usable;
    if (is_subscription_)
      resolve_subscription_cutoff();
    else
      resolve_cutoff();
    return std::move(budget_);
  }

 private:
  void resolve_max(std::optional<std::int64_t> window) {
    std::optional<std::int64_t> limit = window;  // what the provider is known to allow
    if (is_subscription_) limit = kClaudeSubscriptionTokens;
    budget_.max_tokens = limit.value_or(settings_.context.max_tokens);
    budget_.max_source = is_subscription_ ? std::string(kLimit)
                         : limit          ? std::string(kCatalog)
                                          : source(settings_, "agent.context.max_tokens");
    if (!override_.max_tokens || (limit && *override_.max_tokens >= *limit)) return;
    budget_.max_tokens = *override_.max_tokens;
    budget_.max_source = kOverride;
  }

  void resolve_reserve() {
    if (is_subscription_ && !compacts_itself(settings_.compaction)) {
      budget_.reserve_source = kLimit;
      return;
    }
    budget_.reserve_tokens = override_.reserve_tokens.value_or(settings_.context.reserve_tokens);
    budget_.reserve_source =
        override_.reserve_tokens ? std::string(kOverride) : source(settings_, "agent.context.reserve_tokens");
  }

  void resolve_cutoff() {
    const config::AutoCompactionSettings& automatic = settings_.compaction.automatic;
    budget_.cutoff_source = source(settings_, "agent.compaction.auto.enabled");
    if (!automatic.enabled || !budget_.enabled) return;
    budget_.compaction_cutoff = cutoff(budget_.max_tokens, automatic.threshold_percent, automatic.threshold_tokens);
    const bool by_tokens = automatic.threshold_tokens && budget_.compaction_cutoff == *automatic.threshold_tokens;
    budget_.cutoff_source = source(
        settings_, by_tokens ? "agent.compaction.auto.threshold_tokens" : "agent.compaction.auto.threshold_percent");
  }

  void resolve_subscription_cutoff() {
    const config::ClaudeSubscriptionSettings& own = settings_.compaction.claude_subscription;
    const auto least = cutoff(budget_.usable, own.threshold_percent, own.threshold_tokens);
    budget_.compaction_cutoff = std::min(least.value_or(budget_.usable), budget_.usable);
    const bool by_tokens = own.threshold_tokens && budget_.compaction_cutoff == *own.threshold_tokens;
    budget_.cutoff_source = source(settings_, by_tokens ? "agent.compaction.claude_subscription.threshold_tokens"
                                                        : "agent.compaction.claude_subscription.threshold_percent");
  }

  const config::Settings& settings_;
  bool is_subscription_;
  config::ModelOverride override_;
  Budget budget_;
};

}  // namespace

Budget resolve_budget(const config::Settings& settings, std::string_view provider, std::string_view model,
                      std::optional<std::int64_t> catalog_window) {
  return Resolver(settings, provider, model).resolve(catalog_window);
}

Fit fit(const Budget& budget, std::uint64_t used) {
  const auto tokens = static_cast<std::int64_t>(std::min<std::uint64_t>(used, INT64_MAX));
  Fit fit;
  fit.percent =
      std::round(static_cast<double>(tokens) * 1000 / static_cast<double>(std::max<std::int64_t>(budget.capacity, 1))) /
      10;
  fit.remaining = std::max<std::int64_t>(0, budget.capacity - tokens);
  fit.fits = !budget.enabled || tokens <= budget.usable;
  return fit;
}

}  // namespace magi::tokens
