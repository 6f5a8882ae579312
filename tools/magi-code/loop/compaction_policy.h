// When a run compacts its session by itself (requirements A1 to A3, A6, A7), apart from how it is done.  Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/magi-code/stage/token_stage.h"

namespace magi::code {

inline constexpr std::string_view kClaudeSubscriptionProvider = "claude-subscription";

struct CompactionLimits {
  std::int64_t max_compactions = 4;  // of one run; 0: no cap
  std::string provider, model;       // of the conversation
};

// A request that is about to be made, as far as limits care.
struct Projection {
  std::int64_t tokens = 0;  // what counts: an estimate, an exact count, or one calibrated by reported usage (K8)
  std::int64_t fixed = 0;   // of these, instructions and tools
  std::int64_t usable = 0;
  std::optional<std::int64_t> cutoff;  // nothing: automatic compaction is off
  bool over = false;                   // above the usable budget
  std::string method;
  std::size_t bytes = 0;  // of the request

  bool reaches_cutoff() const { return cutoff && tokens >= *cutoff; }
};

class CompactionPolicy {
 public:
  enum class Step {
    kGo,    // send it
    kTell,  // send it, but compaction would be due and cannot be had
    kCompact,
    kRefuse,  // it may not be sent, and compaction would not help
  };
  enum class Boundary { kInput, kTools, kTurnEnd };

  explicit CompactionPolicy(CompactionLimits limits) : limits_(std::move(limits)) {}

  // A new input: its compactions are counted anew.
  void begin_run() {
    compactions_ = 0;
    recovered_ = false;
  }
  // `can_compact`: there is a session that is stored, and nothing forbids the moment.  `wanted`: the model has asked.
  Step decide(Boundary boundary, const Projection& next, bool can_compact, bool wanted = false) const;
  // Whether a prompt that the provider found too long is a reason to compact; once a run, for claude-subscription (A7).
  bool may_recover(bool can_compact) const;

  void note_recovery() { recovered_ = true; }
  void note_compaction() { ++compactions_; }
  // After a compaction: the next one needs a longer request than this.
  void note_resumed(std::size_t request_bytes) { resumed_bytes_ = request_bytes; }

  bool is_subscription() const { return limits_.provider == kClaudeSubscriptionProvider; }

  // Why a request of this size may not be sent, and the ways out.  `child`: of a child session, which has fewer.
  std::string refusal(const Projection& next, bool child) const;
  // Why a compacted session is of no use.
  std::string no_gain(const Projection& next) const;

 private:
  bool has_allowance() const {
    return limits_.max_compactions == 0 || is_subscription() || compactions_ < limits_.max_compactions;
  }
  std::string named(const Projection& next) const;

  CompactionLimits limits_;
  std::int64_t compactions_ = 0;
  bool recovered_ = false;
  std::optional<std::size_t> resumed_bytes_;
};

}  // namespace magi::code
