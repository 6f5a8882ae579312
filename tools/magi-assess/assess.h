// The assessment of a text that a tool brought: does it try to tell the model what to do?  Rules alone, no network, no
// model: each finding has a weight, findings of different kinds near each other add up, and the policy says from which
// score on what happens.  Rules can be evaded by who knows them; what they give is a cheap first line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/magi-assess/concepts.h"
#include "tools/magi-assess/hit.h"
#include "tools/magi-assess/markers.h"

namespace magi::assess {

enum class Policy : std::uint8_t { kWarn, kRedact, kWithhold, kAsk };
std::optional<Policy> policy_of(std::string_view name);

enum class Verdict : std::uint8_t { kAllow, kRedact, kWithhold };
std::string_view name_of(Verdict verdict);

struct Assessment {
  Verdict verdict = Verdict::kAllow;
  bool complete = true;  // false: what follows the first kMostBytes was not looked at
  int score = 0;         // 0 to 100, of the worst place
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;  // bytes [first, last) of the worst places, in order
  std::vector<std::string> rules;                              // that counted there, sorted
};

// What a tool's result holds at most.
inline constexpr std::size_t kMostBytes = 16u << 20;

class Assessor {
 public:
  // Linear in the text; memory is that of one window of it.
  Assessment assess(std::string_view output, Policy policy) const;

 private:
  Hits find(std::string_view window, bool decode) const;

  Vocabulary vocabulary_;
  Markers markers_;
};

}  // namespace magi::assess
