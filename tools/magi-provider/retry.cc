#include "tools/magi-provider/retry.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace magi::provider {
namespace {

std::optional<double> positive_number(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(number) || number <= 0)
    return std::nullopt;
  return number;
}

std::optional<std::int64_t> http_date(std::string_view text) {
  tm parts{};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end) return std::nullopt;
  return timegm(&parts);
}

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

std::optional<double> server_delay(std::string_view retry_after_ms, std::string_view retry_after, std::string_view date,
                                   std::int64_t now_unix_s) {
  if (const auto ms = positive_number(retry_after_ms)) return *ms / 1000;
  if (const auto seconds = positive_number(retry_after)) return seconds;
  const auto until = http_date(retry_after);
  if (!until) return std::nullopt;
  const std::int64_t wait_s = *until - http_date(date).value_or(now_unix_s);
  return wait_s > 0 ? std::optional(static_cast<double>(wait_s)) : std::nullopt;
}

}  // namespace magi::provider
