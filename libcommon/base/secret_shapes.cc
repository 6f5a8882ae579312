#include "libcommon/base/secret_shapes.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace magi {
namespace {

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alphanumeric(char c) { return is_lower(c) || is_upper(c) || is_digit(c); }
constexpr bool is_url_safe(char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }
constexpr bool is_upper_or_digit(char c) { return is_upper(c) || is_digit(c); }
constexpr bool is_word(char c) { return is_alphanumeric(c) || c == '_'; }
constexpr bool is_alphanumeric_or_dash(char c) { return is_alphanumeric(c) || c == '-'; }

enum class Start {
  kAnywhere,  // the prefix is telling enough by itself
  kBoundary,  // not inside a word, for short prefixes that encoded data may hold by chance
};

// A fixed prefix and a run of at least `min_body` characters of one class; `exact`: neither more nor fewer.
struct Shape {
  std::string_view prefix;
  bool (*in_body)(char);
  std::size_t min_body;
  bool exact;
  Start start;
  std::string_view kind;
};

// The longer prefix first where one begins with another.
constexpr Shape kShapes[] = {
    {"sk-ant-", is_url_safe, 16, false, Start::kAnywhere, "Anthropic key"},
    {"sk-proj-", is_url_safe, 16, false, Start::kAnywhere, "OpenAI key"},
    {"sk-svcacct-", is_url_safe, 16, false, Start::kAnywhere, "OpenAI key"},
    {"sk-admin-", is_url_safe, 16, false, Start::kAnywhere, "OpenAI key"},
    {"sk-or-v1-", is_url_safe, 16, false, Start::kAnywhere, "OpenRouter key"},
    {"sk-", is_alphanumeric, 20, false, Start::kBoundary, "API key"},
    {"sk_live_", is_alphanumeric, 16, false, Start::kAnywhere, "Stripe key"},
    {"sk_test_", is_alphanumeric, 16, false, Start::kAnywhere, "Stripe key"},
    {"rk_live_", is_alphanumeric, 16, false, Start::kBoundary, "Stripe key"},
    {"github_pat_", is_word, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghp_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"gho_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghu_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghs_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghr_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"glpat-", is_url_safe, 20, false, Start::kAnywhere, "GitLab token"},
    {"AKIA", is_upper_or_digit, 16, true, Start::kBoundary, "AWS key"},
    {"ASIA", is_upper_or_digit, 16, true, Start::kBoundary, "AWS key"},
    {"AIza", is_url_safe, 35, false, Start::kBoundary, "Google key"},
    {"xoxb-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxp-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxa-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxe-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxr-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxs-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xapp-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"npm_", is_alphanumeric, 36, false, Start::kBoundary, "npm token"},
    {"hf_", is_alphanumeric, 30, false, Start::kBoundary, "Hugging Face token"},
};
constexpr std::string_view kPemBegin = "-----BEGIN ", kPemEnd = "-----END ", kPemKey = "PRIVATE KEY", kDashes = "-----";
constexpr std::string_view kJwtStart = "eyJ";

constexpr std::size_t pair_of(char first, char second) {
  return static_cast<std::size_t>(static_cast<unsigned char>(first)) |
         static_cast<std::size_t>(static_cast<unsigned char>(second)) << 8;
}

// One bit a pair of bytes that a shape begins with.  A look-up a byte is several times faster than a search a shape.
constexpr std::array<std::uint64_t, 1024> kPairs = [] {
  std::array<std::uint64_t, 1024> bits{};
  const auto set = [&](std::string_view prefix) {
    const std::size_t pair = pair_of(prefix[0], prefix[1]);
    bits[pair / 64] |= std::uint64_t{1} << (pair % 64);
  };
  for (const Shape& shape : kShapes) set(shape.prefix);
  set(kPemBegin);
  set(kJwtStart);
  return bits;
}();

std::size_t run_length(std::string_view text, std::size_t at, bool (*in_class)(char)) {
  const auto* const from = text.begin() + at;
  return static_cast<std::size_t>(std::find_if_not(from, text.end(), in_class) - from);
}

// True when the character at `at` belongs to an escape sequence such as \n: it is no letter of the text then.
bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

constexpr bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

// A dash counts as part of the word before: what encodes data in base64 for URLs holds both.
bool is_boundary(std::string_view text, std::size_t at) {
  if (at == 0 || !is_url_safe(text[at - 1])) return true;
  if (is_one_of("nrtbf", text[at - 1]) && is_escaped(text, at - 1)) return true;
  if (at >= 6 && text[at - 5] == 'u' && is_escaped(text, at - 5)) return true;
  return at >= 3 && text[at - 3] == '%';  // URL encoding
}

std::optional<SecretSpan> match_shape(std::string_view text, std::size_t at, const Shape& shape) {
  if (!text.substr(at).starts_with(shape.prefix)) return std::nullopt;
  if (shape.start == Start::kBoundary && !is_boundary(text, at)) return std::nullopt;
  const std::size_t body = run_length(text, at + shape.prefix.size(), shape.in_body);
  const std::size_t end = at + shape.prefix.size() + body;
  if (body < shape.min_body) return std::nullopt;
  if (shape.exact && (body != shape.min_body || (end < text.size() && is_word(text[end])))) return std::nullopt;
  return SecretSpan{at, end - at, shape.kind};
}

// Three runs joined by dots, of which the first two are JSON objects in base64.
std::optional<SecretSpan> match_jwt(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(kJwtStart) || !is_boundary(text, at)) return std::nullopt;
  std::size_t end = at;
  for (int part = 0; part < 3; ++part) {
    if (part < 2 && !text.substr(end).starts_with(kJwtStart)) return std::nullopt;
    const std::size_t run = run_length(text, end, is_url_safe);
    if (run < 8) return std::nullopt;
    end += run;
    if (part == 2) break;
    if (end >= text.size() || text[end] != '.') return std::nullopt;
    ++end;
  }
  return SecretSpan{at, end - at, "JSON web token"};
}

bool in_pem_body(char c) {
  return is_alphanumeric(c) || is_one_of("+/=\\ \r\n\t", c);
}

// To the end line, or where that is missing (cut output) to the end of what may be key material.
std::optional<SecretSpan> match_pem(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(kPemBegin)) return std::nullopt;
  constexpr std::size_t kLongestLabel = 64;
  const std::string_view label = text.substr(at + kPemBegin.size(), kLongestLabel);
  const std::size_t label_end = label.find(kDashes);
  if (label_end == std::string_view::npos || label.substr(0, label_end).find(kPemKey) == std::string_view::npos)
    return std::nullopt;
  const std::size_t body = at + kPemBegin.size() + label_end + kDashes.size();
  const std::string_view rest = text.substr(body);
  const std::size_t dashes = rest.find(kDashes);
  std::size_t end = body;
  if (dashes != std::string_view::npos && rest.substr(dashes).starts_with(kPemEnd) &&
      rest.substr(0, dashes).find('"') == std::string_view::npos) {
    const std::string_view closing = rest.substr(dashes + kPemEnd.size(), kLongestLabel);
    const std::size_t last = closing.find(kDashes);
    end += dashes + kPemEnd.size();
    if (last < closing.find('"')) end += last + kDashes.size();
  } else {
    end += run_length(text, body, in_pem_body);
    while (text[end - 1] == '\\') --end;  // it may escape a quote that stays
  }
  return SecretSpan{at, end - at, "private key"};
}

std::optional<SecretSpan> match_at(std::string_view text, std::size_t at) {
  if (is_one_of("nrtbfu", text[at]) && is_escaped(text, at)) return std::nullopt;
  for (const Shape& shape : kShapes)
    if (shape.prefix[0] == text[at])
      if (auto found = match_shape(text, at, shape)) return found;
  if (text[at] == kJwtStart[0]) return match_jwt(text, at);
  if (text[at] == kPemBegin[0]) return match_pem(text, at);
  return std::nullopt;
}

}  // namespace

std::optional<SecretSpan> find_secret(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at + 1 < text.size(); ++at) {
    const std::size_t pair = pair_of(text[at], text[at + 1]);
    if ((kPairs[pair / 64] >> (pair % 64) & 1) == 0) continue;
    if (auto found = match_at(text, at)) return found;
  }
  return std::nullopt;
}

}  // namespace magi
