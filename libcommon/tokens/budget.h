// How much a request may hold: the arithmetic of requirements A1, K4 to K7, for reports, preflight checks and
// compaction alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/config/settings.h"

namespace magi::tokens {

inline constexpr std::string_view kClaudeSubscription = "claude-subscription";
// The input ceiling of every model of claude-subscription (K6).
inline constexpr std::int64_t kClaudeSubscriptionTokens = 202'000;

struct Budget {
  bool enabled = true;  // false: settings switch context checks off, and everything fits
  std::int64_t max_tokens = 0;
  std::int64_t reserve_tokens = 0;
  std::int64_t usable = 0;                        // max_tokens - reserve_tokens, never below 0
  std::int64_t capacity = 0;                      // what percentages are of: max_tokens, of claude-subscription usable
  std::int64_t summary_limit = 0;                 // largest request for a summary that this model may be sent (K6)
  std::optional<std::int64_t> compaction_cutoff;  // nothing: automatic compaction is off
  // Where each number comes from: "default", "settings", "model catalog", "model override", "provider limit", ...
  std::string max_source, reserve_source, cutoff_source;
};

// `catalog_window`: the context window of the cached model catalog, if it has one.
Budget resolve_budget(const config::Settings& settings, std::string_view provider, std::string_view model,
                      std::optional<std::int64_t> catalog_window);

struct Fit {
  double percent = 0;          // of the capacity, to one decimal
  std::int64_t remaining = 0;  // of the capacity, never below 0
  bool fits = false;           // within usable
};
Fit fit(const Budget& budget, std::uint64_t used);

}  // namespace magi::tokens
