#include "tools/magi-code/loop/compaction_policy.h"

namespace magi::code {

CompactionPolicy::Step CompactionPolicy::decide(Boundary boundary, const Projection& next, bool can_compact,
                                                bool wanted) const {
  const bool automatic = next.cutoff.has_value();
  const bool grown = !resumed_bytes_ || next.bytes > *resumed_bytes_;
  const bool possible = can_compact && has_allowance() && grown;
  if (boundary == Boundary::kInput) {
    if (!next.over) return Step::kGo;
    return automatic && possible ? Step::kCompact : Step::kRefuse;
  }
  if (wanted && possible) return Step::kCompact;
  if (!next.reaches_cutoff() && !next.over) return Step::kGo;
  // What no compaction can shrink is above the limit already.
  const bool hopeless = next.cutoff && next.fixed >= *next.cutoff;
  if (automatic && can_compact && hopeless) return Step::kRefuse;
  if (automatic && possible) return Step::kCompact;
  if (boundary == Boundary::kTurnEnd) return Step::kGo;
  if (next.over) return Step::kRefuse;
  return automatic ? Step::kTell : Step::kGo;
}

bool CompactionPolicy::may_recover(bool can_compact) const { return is_subscription() && can_compact && !recovered_; }

std::string CompactionPolicy::named(const Projection& next) const {
  std::string text = "the request is " + std::to_string(next.tokens) + " tokens (" + next.method + ")";
  if (next.fixed > 0) text += ", " + std::to_string(next.fixed) + " of them instructions and tools";
  return text;
}

std::string CompactionPolicy::refusal(const Projection& next, bool child) const {
  if (next.cutoff && next.fixed >= *next.cutoff)
    return named(next) + ": these alone reach the " + std::to_string(*next.cutoff) +
           " at which the session would be compacted, and no compaction makes them smaller; offer fewer tools, shorten "
           "AGENTS.md, or raise agent.compaction.auto and the model's limits";
  return named(next) + ", above the " + std::to_string(next.usable) + " that " + limits_.provider + " " +
         limits_.model + " may be sent; " + (child ? "" : "/compact the session, ") +
         "choose a larger model for it or for agent.compaction, set agent.context.model_overrides, shorten the input, "
         "or "
         "start a new session (/new)";
}

std::string CompactionPolicy::no_gain(const Projection& next) const {
  return "the session was compacted, but " + named(next) + ", not below the " +
         std::to_string(next.cutoff.value_or(next.usable)) +
         " at which it would be compacted again; offer fewer tools, shorten AGENTS.md, or raise the limits";
}

}  // namespace magi::code
