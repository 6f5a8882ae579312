// When to send a request again, and after how long.  Pure: the clock and the dice are the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-provider/failure.h"

namespace magi::provider {

// Sources of the numbers: OpenAI's and Anthropic's client libraries for the short delays, one minute of patience for an
// overloaded server in five tries, and one minute as the longest wait that is still better than saying so.
struct RetryPolicy {
  std::int64_t max_retries = 5;
  std::int64_t max_retries_unheard = 2;  // where nobody listens on this machine
  double first_delay_s = 0.5, longest_delay_s = 30;
  double first_overload_delay_s = 2, longest_overload_delay_s = 60;
  double longest_server_delay_s = 60;
  double sleep_budget_s = 180;  // over all waits of one answer

  // The first delay, and the overload delay in proportion.
  void scale_to(double delay_s) {
    first_overload_delay_s *= delay_s / first_delay_s;
    first_delay_s = delay_s;
  }
};

struct RetryState {
  std::int64_t retries_made = 0;
  double slept_s = 0;
};

struct RetryDecision {
  std::optional<double> delay_s;  // nothing: do not retry
  std::string advice;             // why not, where the failure alone does not tell
};

// `unit_random` in [0, 1) spreads the delay over 0.75 to 1.25 of its value.  The delay is never below the server's.
RetryDecision decide_retry(const RetryPolicy& policy, const RetryState& state, const Failure& failure,
                           double unit_random);

}  // namespace magi::provider
