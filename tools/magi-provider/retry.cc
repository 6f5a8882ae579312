#include "tools/magi-provider/retry.h"

#include <algorithm>
#include <cmath>

namespace magi::provider {
namespace {

double own_delay(const RetryPolicy& policy, const RetryState& state, FailureKind kind) {
  const bool slow = kind == FailureKind::kRateLimit || kind == FailureKind::kOverloaded;
  const double first = slow ? policy.first_overload_delay_s : policy.first_delay_s;
  const double longest = slow ? policy.longest_overload_delay_s : policy.longest_delay_s;
  return std::min(first * std::exp2(static_cast<double>(std::min<std::int64_t>(state.retries_made, 30))), longest);
}

bool worth_retrying(const Failure& failure) {
  if (!is_transient(failure.kind)) return false;
  return failure.server_says_retry.value_or(true);
}

std::string in_words(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string((whole + 59) / 60) + " min";
  return std::to_string((whole + 3599) / 3600) + " h";
}

}  // namespace

RetryDecision decide_retry(const RetryPolicy& policy, const RetryState& state, const Failure& failure,
                           double unit_random) {
  if (failure.kind == FailureKind::kQuota && failure.server_delay_s)
    return {std::nullopt, "it is fresh again in " + in_words(*failure.server_delay_s)};
  if (!worth_retrying(failure)) return {};
  if (failure.server_delay_s && *failure.server_delay_s > policy.longest_server_delay_s)
    return {std::nullopt, "the server asks to wait " + in_words(*failure.server_delay_s)};
  const std::int64_t most = failure.nobody_listens ? policy.max_retries_unheard : policy.max_retries;
  if (state.retries_made >= std::min(most, policy.max_retries)) return {};
  const double jittered = own_delay(policy, state, failure.kind) * (0.75 + unit_random / 2);
  const double delay_s = std::max(jittered, failure.server_delay_s.value_or(0));
  if (state.slept_s + delay_s > policy.sleep_budget_s) return {};
  return {delay_s, {}};
}

}  // namespace magi::provider
