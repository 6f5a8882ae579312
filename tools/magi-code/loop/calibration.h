// What a provider reports of a request makes the estimate of the next one better (requirement K8): its reported input
// plus the estimated change since.  Whole projections are compared, so nothing is counted twice: cached tokens are part
// of the reported input, and the last output is part of the next projection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace magi::code {

class UsageCalibration {
 public:
  // Providers whose tokens can only be estimated, and which report what they counted.
  static bool applies_to(std::string_view provider) {
    return provider == "anthropic" || provider == "claude-subscription";
  }
  explicit UsageCalibration(bool enabled) : enabled_(enabled) {}

  // A request of this estimate is sent.
  void sent(std::optional<std::int64_t> estimate) { sent_ = estimate; }
  // What the provider counted of it: all input, cached or not.
  void reported(std::int64_t input_tokens) {
    if (enabled_ && sent_ && input_tokens > 0) known_ = Known{input_tokens, *sent_};
  }
  // The history was replaced, or another model counts now.
  void reset() { sent_ = std::nullopt, known_ = std::nullopt; }

  // Nothing where nothing was reported yet.
  std::optional<std::int64_t> project(std::int64_t estimate) const {
    if (!known_) return std::nullopt;
    return std::max<std::int64_t>(0, known_->reported + estimate - known_->estimate);
  }

 private:
  struct Known {
    std::int64_t reported, estimate;
  };
  bool enabled_;
  std::optional<std::int64_t> sent_;
  std::optional<Known> known_;
};

}  // namespace magi::code
