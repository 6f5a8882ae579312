#include "libcommon/base/secret_shapes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

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

// Every shape begins with one of these: two bytes and a third at some distance.  `?` in "gh?_" stands for the kind.
struct Opening {
  char first, second, third;
  std::size_t third_at;
};
constexpr Opening kOpenings[] = {
    {'s', 'k', '-', 2}, {'s', 'k', '_', 2}, {'r', 'k', '_', 2}, {'g', 'i', 't', 2}, {'g', 'h', '_', 3},
    {'g', 'l', 'p', 2}, {'A', 'K', 'I', 2}, {'A', 'S', 'I', 2}, {'A', 'I', 'z', 2}, {'x', 'o', 'x', 2},
    {'x', 'a', 'p', 2}, {'n', 'p', 'm', 2}, {'h', 'f', '_', 2}, {'e', 'y', 'J', 2}, {'-', '-', '-', 2},
};
constexpr std::size_t kOpeningBytes = 4;

// Requires: kOpeningBytes readable at `at`.
bool may_begin(const char* at) {
  for (const Opening& opening : kOpenings)
    if (at[0] == opening.first && at[1] == opening.second && at[opening.third_at] == opening.third) return true;
  return false;
}

constexpr bool has_opening(std::string_view prefix) {
  for (const Opening& opening : kOpenings)
    if (prefix[0] == opening.first && prefix[1] == opening.second && prefix.size() > opening.third_at &&
        prefix[opening.third_at] == opening.third)
      return true;
  return false;
}
static_assert(std::all_of(std::begin(kShapes), std::end(kShapes),
                          [](const Shape& shape) { return has_opening(shape.prefix); }),
              "a shape without an opening would never be found");
static_assert(has_opening(kPemBegin) && has_opening(kJwtStart));

using Vector [[gnu::vector_size(16)]] = char;
constexpr std::size_t kBlockBytes = sizeof(Vector);
constexpr auto kEachOpening = std::make_index_sequence<std::size(kOpenings)>();

Vector load(const char* at) {
  Vector bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// True where a shape may begin at one of the kBlockBytes bytes.  Requires: kOpeningBytes more behind them.
template <std::size_t... I>
bool block_may_hold(const char* block, std::index_sequence<I...>) {
  const Vector bytes[kOpeningBytes] = {load(block), load(block + 1), load(block + 2), load(block + 3)};
  const Vector any = (((bytes[0] == kOpenings[I].first) & (bytes[1] == kOpenings[I].second) &
                       (bytes[kOpenings[I].third_at] == kOpenings[I].third)) |
                      ...);
  std::uint64_t halves[2];
  std::memcpy(halves, &any, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

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

bool in_pem_body(char c) { return is_alphanumeric(c) || is_one_of("+/=\\ \r\n\t", c); }

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
  std::size_t at = from;
  while (at + kOpeningBytes <= text.size()) {
    const bool whole_block = at + kBlockBytes + kOpeningBytes <= text.size();
    if (whole_block && !block_may_hold(text.data() + at, kEachOpening)) {
      at += kBlockBytes;
      continue;
    }
    const std::size_t end = whole_block ? at + kBlockBytes : text.size() - kOpeningBytes + 1;
    for (; at < end; ++at) {
      if (!may_begin(text.data() + at)) continue;
      if (auto found = match_at(text, at)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace magi
