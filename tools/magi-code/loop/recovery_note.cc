#include "tools/magi-code/loop/recovery_note.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxModelCharacters = 80;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

// "openai/gpt-5-latest" -> "gpt-5"
std::string bare_name(std::string_view model) {
  std::string name = lower(model.substr(model.rfind('/') + 1));
  constexpr std::string_view kLatest = "-latest";
  if (name.ends_with(kLatest)) name.resize(name.size() - kLatest.size());
  return name;
}

std::string clipped(std::string text) {
  text.resize(utf8::prefix_bytes(text, kMaxModelCharacters));
  return text;
}

}  // namespace

bool is_other_model(std::string_view requested, std::string_view reported) {
  const std::string wanted = bare_name(requested), got = bare_name(reported);
  if (wanted.empty() || got.empty() || wanted == got) return false;
  if (!got.starts_with(wanted)) return true;
  // A date or a number of a version follows: "-2025-08-07", "-20250929", "@20250929", ":0".
  const std::string_view rest = std::string_view(got).substr(wanted.size());
  return std::string_view("-@:").find(rest[0]) == std::string_view::npos ||
         rest.substr(1).find_first_not_of("0123456789-:v") != std::string_view::npos;
}

std::optional<event::Diagnostic> recovery_note(const event::Raw& attempts, const std::string& turn_id) {
  json::Parser parser;
  const auto root = parser.parse(attempts.json);
  if (!root || !root->is(json::Kind::kArray)) return std::nullopt;
  std::int64_t count = 0;
  std::string reasons, other;
  for (const json::Node attempt : root->elements()) {
    count = std::max({count + 1, attempt.find("number").as_int().value_or(0)});
    const std::string outcome = attempt.find("outcome").as_string().value_or("");
    if (outcome != "completed" && reasons.find(outcome) == std::string::npos)
      reasons += (reasons.empty() ? "" : ", ") + outcome;
    const std::string wanted = attempt.find("model").as_string().value_or("");
    const std::string got = attempt.find("reported_model").as_string().value_or("");
    if (other.empty() && is_other_model(wanted, got))
      other = "; an attempt was answered by " + clipped(got) + " instead of " + clipped(wanted);
  }
  if (count < 2) return std::nullopt;
  event::Diagnostic note;
  note.level = other.empty() ? "info" : "warning";
  note.message = "the answer came with attempt " + std::to_string(count) +
                 (reasons.empty() ? "" : ", after: " + clipped(reasons)) + other;
  note.category = "provider_recovery";
  note.turn_id = turn_id;
  return note;
}

}  // namespace magi::code
