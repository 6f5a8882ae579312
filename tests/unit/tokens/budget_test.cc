#include <gtest/gtest.h>

#include "libcommon/tokens/budget.h"

namespace magi::tokens {
namespace {

using config::Settings;

TEST(Budget, DefaultsAreThoseOfTheRequirements) {
  const Budget budget = resolve_budget(Settings{}, "openai", "m", std::nullopt);
  EXPECT_EQ(budget.max_tokens, 128'000);
  EXPECT_EQ(budget.reserve_tokens, 16'384);
  EXPECT_EQ(budget.usable, 111'616);
  EXPECT_EQ(budget.compaction_cutoff, 102'400);
  EXPECT_EQ(budget.max_source, "default");
}

// TOK-05: the window of the catalog is the maximum.
TEST(Budget, TheCatalogsWindowIsTheMaximum) {
  Settings settings;
  settings.context.max_tokens = 64'000;
  const Budget budget = resolve_budget(settings, "openai", "m", 400'000);
  EXPECT_EQ(budget.max_tokens, 400'000);
  EXPECT_EQ(budget.max_source, "model catalog");
  EXPECT_EQ(fit(budget, 100'000).percent, 25.0);
}

// TOK-08: an override is for exactly its provider and model, the reserve included.
TEST(Budget, OverridesAreForExactlyTheirModel) {
  Settings settings;
  settings.context.model_overrides["openai/x"] = {64'000, 16'000};
  EXPECT_EQ(resolve_budget(settings, "openai", "x", std::nullopt).usable, 48'000);
  EXPECT_EQ(resolve_budget(settings, "openai", "x", std::nullopt).reserve_source, "model override");
  EXPECT_EQ(resolve_budget(settings, "openai", "x-mini", std::nullopt).usable, 111'616);
  EXPECT_EQ(resolve_budget(settings, "other", "x", std::nullopt).usable, 111'616);
}

// TOK-13, and no override raises what the provider allows.
TEST(Budget, OverridesLowerTheKnownLimitAndNeverRaiseIt) {
  Settings settings;
  settings.context.model_overrides["p/m"] = {120'000, std::nullopt};
  EXPECT_EQ(resolve_budget(settings, "p", "m", 200'000).compaction_cutoff, 96'000);
  EXPECT_EQ(resolve_budget(settings, "p", "m", 100'000).max_tokens, 100'000);
  EXPECT_EQ(resolve_budget(settings, "p", "m", 100'000).max_source, "model catalog");
  EXPECT_EQ(resolve_budget(settings, "p", "m", std::nullopt).max_tokens, 120'000);
}

// TOK-10: the cut-off is rounded up; the first of two thresholds counts.
TEST(Budget, TheCutOffIsTheFirstThresholdRoundedUp) {
  Settings settings;
  settings.context.max_tokens = 100'001;
  EXPECT_EQ(resolve_budget(settings, "p", "m", std::nullopt).compaction_cutoff, 80'001);
  settings.compaction.automatic.threshold_tokens = 5'000;
  EXPECT_EQ(resolve_budget(settings, "p", "m", std::nullopt).compaction_cutoff, 5'000);
  settings.compaction.automatic.threshold_tokens = 90'000;
  EXPECT_EQ(resolve_budget(settings, "p", "m", std::nullopt).compaction_cutoff, 80'001);
  settings.compaction.automatic.threshold_percent.reset();
  EXPECT_EQ(resolve_budget(settings, "p", "m", std::nullopt).compaction_cutoff, 90'000);
  settings.compaction.automatic.enabled = false;
  EXPECT_FALSE(resolve_budget(settings, "p", "m", std::nullopt).compaction_cutoff);
}

TEST(Budget, ClaudeSubscriptionHasItsOwnCeiling) {
  Settings settings;
  settings.context.max_tokens = 50'000;
  settings.compaction.automatic.enabled = false;
  Budget budget = resolve_budget(settings, kClaudeSubscription, "m", 1'000'000);
  EXPECT_EQ(budget.max_tokens, 202'000);
  EXPECT_EQ(budget.usable, 185'616);
  EXPECT_EQ(budget.compaction_cutoff, 185'616);
  settings.compaction.provider = "openai";
  settings.compaction.model = "x";
  budget = resolve_budget(settings, kClaudeSubscription, "m", std::nullopt);
  EXPECT_EQ(budget.usable, 202'000);
  EXPECT_EQ(budget.compaction_cutoff, 202'000);
  settings.context.model_overrides["claude-subscription/m"] = {300'000, std::nullopt};
  EXPECT_EQ(resolve_budget(settings, kClaudeSubscription, "m", std::nullopt).max_tokens, 202'000);
  settings.context.model_overrides["claude-subscription/m"] = {100'000, std::nullopt};
  EXPECT_EQ(resolve_budget(settings, kClaudeSubscription, "m", std::nullopt).compaction_cutoff, 100'000);
}

// TOK-07
TEST(Fit, IsNeverNegative) {
  Settings settings;
  settings.context.model_overrides["p/m"] = {1'000, 5'000};
  const Budget tiny = resolve_budget(settings, "p", "m", std::nullopt);
  EXPECT_EQ(tiny.usable, 0);
  EXPECT_FALSE(fit(tiny, 1).fits);
  EXPECT_EQ(fit(tiny, 400).remaining, 600);
  EXPECT_EQ(fit(tiny, 5'000).remaining, 0);
  EXPECT_EQ(fit(tiny, 5'000).percent, 500.0);
  EXPECT_EQ(fit(tiny, UINT64_MAX).remaining, 0);
}

TEST(Fit, EverythingFitsWhereChecksAreOff) {
  Settings settings;
  settings.context.enabled = false;
  const Budget budget = resolve_budget(settings, "p", "m", std::nullopt);
  EXPECT_TRUE(fit(budget, 1'000'000).fits);
  EXPECT_FALSE(budget.compaction_cutoff);
}

}  // namespace
}  // namespace magi::tokens
