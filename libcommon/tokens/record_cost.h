// What one record of a conversation stream costs a request, by kind (requirements K1 to K3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libcommon/json/node.h"
#include "libcommon/tokens/counter.h"

namespace magi::tokens {

// In the order in which reports list them.  The first two are the fixed part of a request.
enum class Kind : std::uint8_t {
  kInstructions,
  kTools,
  kSummary,
  kEvidence,
  kContext,
  kUser,
  kAssistant,
  kProviderItem,
  kToolCall,
  kToolResult,
  kImages,
};
inline constexpr std::size_t kKinds = 11;
std::string_view kind_name(Kind kind);

// What stands around the text of a message, a call, a result or a tool definition: roles, IDs, separators.
inline constexpr std::uint64_t kRecordTokens = 4;
// An image or any other part that is not text; providers charge some 800 to 1,600 for one of usual size.
inline constexpr std::uint64_t kPartTokens = 1'600;

// At most two kinds: `request` is instructions and tools, any other record its own kind and images.
struct RecordCost {
  struct Part {
    Kind kind = Kind::kUser;
    std::uint64_t tokens = 0;
  };
  std::array<Part, 2> parts;
};

// Records that cost nothing (the frame, reasoning selections) and types not known here give zeros.
RecordCost cost_of(const Counter& counter, std::string_view type, const json::Node& record);

class Split {
 public:
  void add(const RecordCost& cost) {
    for (const RecordCost::Part& part : cost.parts) tokens_[static_cast<std::size_t>(part.kind)] += part.tokens;
  }
  std::uint64_t of(Kind kind) const { return tokens_[static_cast<std::size_t>(kind)]; }
  std::uint64_t fixed() const { return of(Kind::kInstructions) + of(Kind::kTools); }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t tokens : tokens_) sum += tokens;
    return sum;
  }

 private:
  std::array<std::uint64_t, kKinds> tokens_{};
};

}  // namespace magi::tokens
