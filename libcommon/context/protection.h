// Requirement R8: what a provider sees of a protected tool result.  Only an assessment that matches the result, covers
// it completely and was made of exactly the stored bytes lets any of it through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::context {

enum class Verdict : std::uint8_t { kAllow, kRedact, kWithhold };

struct Assessment {
  Verdict verdict = Verdict::kWithhold;
  bool complete = false;
  std::string stored_sha256;
  // Byte offsets [first, last) in the decoded output; kRedact only.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  bool operator==(const Assessment&) const = default;
};

// From the payload of a tool_result_assessment.  What cannot be read becomes the strictest reading of it.
Assessment read_assessment(const json::Node& payload);

struct Projection {
  std::string text;           // decoded: the output, the output with marks in place of its spans, or the notice
  std::string_view withheld;  // the reason; empty where the text is the output
  bool redacted = false;
};

// `raw_output`: the stored output as the text of a JSON string.  `assessment`: null where none matches.
Projection project_protected(std::string_view raw_output, const Assessment* assessment);

}  // namespace magi::context
