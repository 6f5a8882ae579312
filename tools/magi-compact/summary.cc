#include "tools/magi-compact/summary.h"

#include <algorithm>
#include <array>

#include "libcommon/base/utf8.h"
#include "libcommon/event/answers.h"

namespace magi::compact {
namespace {

namespace name = event::name;

// A refusal is a sentence or two; a summary that quotes one is longer.
constexpr std::size_t kRefusalCharacters = 600;

constexpr std::array<std::string_view, 18> kRefusals{
    "i'm sorry",        "i am sorry",      "sorry,",       "i apologize",
    "i can't",          "i cannot",        "i can not",    "i'm unable",
    "i am unable",      "i'm not able",    "i won't",      "i will not",
    "as an ai",         "i don't see any", "i do not see", "there is no conversation",
    "there is nothing", "no conversation"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos; }

Error unusable(std::string_view why) {
  return make_error(ErrorCode::kUpstream, "the model wrote no usable summary: ", why, "; the session is as it was");
}

}  // namespace

bool is_refusal(std::string_view text) {
  if (utf8::count(utf8::sanitize(text)) > kRefusalCharacters) return false;
  std::string start;
  for (std::size_t at = std::min(text.find_first_not_of(" \t\r\n*_#>\"'"), text.size());
       at < text.size() && start.size() < 40; ++at) {
    // A typographic apostrophe is one all the same.
    if (text.substr(at).starts_with("\u2019")) {
      start += '\'';
      at += 2;
    } else {
      start += lower(text[at]);
    }
  }
  return std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](std::string_view refusal) { return start.starts_with(refusal); });
}

Result<void> Answer::take(std::string_view line) {
  const auto root = parser_.parse_padded(line);
  const auto type = root ? event::record_type(*root) : std::nullopt;
  if (!type) return make_error(ErrorCode::kUpstream, "magi-provider wrote what is no record");
  if (*type == name::kText) {
    MAGI_TRY(const event::Text text, event::parse_record<event::Text>(*root));
    text_ += text.text;
  } else if (*type == name::kToolCall) {
    calls_tools_ = true;
  } else if (*type == name::kUsage) {
    MAGI_TRY(const event::Usage usage, event::parse_record<event::Usage>(*root));
    ++usage_.requests;
    usage_.input_tokens += usage.input_tokens;
    usage_.cached_tokens += usage.cached_tokens.value_or(0);
    usage_.cache_write_tokens += usage.cache_write_tokens.value_or(0);
    usage_.output_tokens += usage.output_tokens;
    usage_.reasoning_tokens += usage.reasoning_tokens.value_or(0);
  } else if (*type == name::kDone) {
    MAGI_TRY(const event::Done done, event::parse_record<event::Done>(*root));
    is_done_ = true;
    status_ = done.status;
    stop_reason_ = done.stop_reason;
  } else if (*type == name::kError) {
    MAGI_TRY(const event::ProviderError error, event::parse_record<event::ProviderError>(*root));
    may_retry_ = error.retryable && error.partial;
    if (error.category == "context_overflow")
      return make_error(ErrorCode::kLimit, "the provider finds the conversation too long to summarise: ", error.message,
                        "\nchoose a larger model by agent.compaction.provider and agent.compaction.model",
                        ", or start a new session (/new)");
    return make_error(
        error.category == "config" || error.category == "auth" ? ErrorCode::kConfig : ErrorCode::kUpstream,
        "the summary failed: ", error.message);
  }
  return {};
}

Result<std::string> Answer::summary() const {
  if (!is_done_ || status_ != "completed") return unusable("the answer was not completed");
  if (stop_reason_ == "max_tokens") return unusable("the answer was cut at the model's output limit");
  if (stop_reason_ == "refusal") return unusable("the model refused");
  if (calls_tools_) return unusable("the answer calls tools");
  if (is_blank(text_)) return unusable("the answer is blank");
  if (is_refusal(text_)) return unusable("the answer is a refusal");
  return text_;
}

}  // namespace magi::compact
