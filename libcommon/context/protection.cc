#include "libcommon/context/protection.h"

#include <optional>

#include "libcommon/digest/sha256.h"

namespace magi::context {
namespace {

constexpr std::string_view kMark = "[redacted]";

bool splits_character(std::string_view text, std::uint64_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Nothing where a span is out of range, out of order, or cuts a character.
std::optional<std::string> redacted(std::string_view text, const Assessment& assessment) {
  std::string out;
  std::uint64_t shown = 0;
  for (const auto& [first, last] : assessment.spans) {
    if (first < shown || last < first || last > text.size()) return std::nullopt;
    if (splits_character(text, first) || splits_character(text, last)) return std::nullopt;
    out.append(text.substr(shown, first - shown)).append(kMark);
    shown = last;
  }
  return out.append(text.substr(shown));
}

Projection withhold(std::string_view reason) {
  return {"[withheld: this result was not cleared for the model: " + std::string(reason) + "]", reason, false};
}

}  // namespace

Assessment read_assessment(const json::Node& payload) {
  Assessment assessment;
  const auto text = [&](std::string_view key) { return payload.find(key).as_string().value_or(""); };
  assessment.complete = text("coverage") == "complete";
  assessment.stored_sha256 = text("stored_sha256");
  const std::string verdict = text("verdict");
  if (verdict == "allow") assessment.verdict = Verdict::kAllow;
  if (verdict != "redact") return assessment;
  const json::Node spans = payload.find("spans");
  if (!spans.is(json::Kind::kArray)) return assessment;
  for (const json::Node span : spans.elements()) {
    std::vector<std::int64_t> ends;
    for (const json::Node end : span.elements()) ends.push_back(end.as_int().value_or(-1));
    if (ends.size() != 2 || ends[0] < 0 || ends[1] < 0) return assessment;
    assessment.spans.emplace_back(ends[0], ends[1]);
  }
  assessment.verdict = Verdict::kRedact;
  return assessment;
}

Projection project_protected(std::string_view raw_output, const Assessment* assessment) {
  if (!assessment) return withhold("it was not assessed");
  if (assessment->verdict == Verdict::kWithhold) return withhold("its assessment forbids it");
  if (!assessment->complete) return withhold("it was assessed in part only");
  std::string output;
  json::append_unescaped(output, raw_output);
  if (sha256_hex(output) != assessment->stored_sha256) return withhold("its assessment is of other bytes");
  if (assessment->verdict == Verdict::kAllow) return {std::move(output), {}, false};
  auto text = redacted(output, *assessment);
  if (!text) return withhold("its redaction cannot be applied");
  return {*std::move(text), {}, true};
}

}  // namespace magi::context
