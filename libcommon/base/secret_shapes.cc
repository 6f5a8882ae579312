#include "libcommon/base/secret_shapes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "libcommon/base/known_secrets.h"
#include "libcommon/base/pair_filter.h"

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
constexpr bool is_path(char c) { return is_alphanumeric(c) || c == '/'; }
constexpr bool is_key_with_dots(char c) { return is_url_safe(c) || c == '.'; }
constexpr bool is_base64(char c) { return is_alphanumeric(c) || c == '+' || c == '/'; }

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
    {"sk-lf-", is_alphanumeric_or_dash, 32, false, Start::kBoundary, "API key"},
    {"sk-", is_alphanumeric, 20, false, Start::kBoundary, "API key"},
    {"sk_live_", is_alphanumeric, 16, false, Start::kAnywhere, "Stripe key"},
    {"sk_test_", is_alphanumeric, 16, false, Start::kAnywhere, "Stripe key"},
    {"rk_live_", is_alphanumeric, 16, false, Start::kBoundary, "Stripe key"},
    {"rk_test_", is_alphanumeric, 16, false, Start::kBoundary, "Stripe key"},
    {"whsec_", is_alphanumeric, 24, false, Start::kBoundary, "Stripe key"},
    {"github_pat_", is_word, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghp_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"gho_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghu_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghs_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"ghr_", is_alphanumeric, 20, false, Start::kAnywhere, "GitHub token"},
    {"glpat-", is_url_safe, 20, false, Start::kAnywhere, "GitLab token"},
    {"glrt-", is_url_safe, 20, false, Start::kBoundary, "GitLab token"},
    {"gldt-", is_url_safe, 20, false, Start::kBoundary, "GitLab token"},
    {"glptt-", is_url_safe, 20, false, Start::kBoundary, "GitLab token"},
    {"AKIA", is_upper_or_digit, 16, true, Start::kBoundary, "AWS key"},
    {"ASIA", is_upper_or_digit, 16, true, Start::kBoundary, "AWS key"},
    {"AIza", is_url_safe, 35, false, Start::kBoundary, "Google key"},
    {"ya29.", is_url_safe, 24, false, Start::kBoundary, "Google token"},
    {"GOCSPX-", is_url_safe, 20, false, Start::kBoundary, "Google key"},
    {"xoxb-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxp-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxa-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxe-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxr-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xoxs-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"xapp-", is_alphanumeric_or_dash, 10, false, Start::kAnywhere, "Slack token"},
    {"hooks.slack.com/services/", is_path, 30, false, Start::kAnywhere, "Slack address"},
    {"npm_", is_alphanumeric, 36, false, Start::kBoundary, "npm token"},
    {"pypi-AgE", is_url_safe, 50, false, Start::kBoundary, "PyPI token"},
    {"hf_", is_alphanumeric, 30, false, Start::kBoundary, "Hugging Face token"},
    {"dckr_pat_", is_url_safe, 20, false, Start::kBoundary, "Docker token"},
    {"dop_v1_", is_alphanumeric, 40, false, Start::kBoundary, "DigitalOcean token"},
    {"shpat_", is_alphanumeric, 32, false, Start::kBoundary, "Shopify token"},
    {"SG.", is_key_with_dots, 60, false, Start::kBoundary, "SendGrid key"},
    {"xai-", is_alphanumeric, 60, false, Start::kBoundary, "xAI key"},
    {"gsk_", is_alphanumeric, 40, false, Start::kBoundary, "Groq key"},
    {"pplx-", is_alphanumeric, 40, false, Start::kBoundary, "Perplexity key"},
    {"nvapi-", is_url_safe, 40, false, Start::kBoundary, "NVIDIA key"},
    {"r8_", is_alphanumeric, 36, false, Start::kBoundary, "Replicate token"},
    {"tskey-", is_alphanumeric_or_dash, 24, false, Start::kBoundary, "Tailscale key"},
    {"hvs.", is_url_safe, 24, false, Start::kBoundary, "Vault token"},
    {"lin_api_", is_alphanumeric, 32, false, Start::kBoundary, "Linear key"},
    {"ntn_", is_alphanumeric, 40, false, Start::kBoundary, "Notion token"},
    {"AGE-SECRET-KEY-1", is_upper_or_digit, 50, false, Start::kAnywhere, "private key"},
};
constexpr std::string_view kPemBegin = "-----BEGIN ", kPemEnd = "-----END ", kPemKey = "PRIVATE KEY", kDashes = "-----";
constexpr std::string_view kJwtStart = "eyJ", kAuthority = "://";

// A value that has no shape of its own and is told by the name before it: NAME, at most a few quotes, blanks and one of
// '=' or ':', and exactly `size` characters of base64.
struct Named {
  std::string_view name;
  std::size_t size;
  std::string_view kind;
};
constexpr Named kNamed[] = {
    {"ecret_access_key", 40, "AWS key"}, {"ECRET_ACCESS_KEY", 40, "AWS key"},  {"ecretAccessKey", 40, "AWS key"},
    {"AccountKey", 88, "Azure key"},     {"SharedAccessKey", 44, "Azure key"},
};

constexpr PairFilter make_filter() {
  PairFilter filter;
  for (const Shape& shape : kShapes) filter.add(shape.prefix);
  for (const Named& named : kNamed) filter.add(named.name);
  filter.add(kPemBegin);
  filter.add(kJwtStart);
  filter.add(kAuthority);
  return filter;
}
constexpr PairFilter kShapeFilter = make_filter();

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

constexpr bool is_one_of(std::string_view set, char c) {
  for (const char one : set)
    if (one == c) return true;
  return false;
}

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

constexpr auto kEndsAuthority = [] {
  std::array<bool, 256> ends{};
  for (std::size_t c = 0; c <= ' '; ++c) ends[c] = true;
  for (std::size_t c = 0x7F; c < 256; ++c) ends[c] = true;
  for (const char c : std::string_view("@/?#\"'\\<>[]{}()|`$*,;")) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

// The password of an address, and nothing else of it.  What stands for one in documents is left alone.
std::optional<SecretSpan> match_authority(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(kAuthority) || at == 0 || !is_alphanumeric(text[at - 1])) return std::nullopt;
  constexpr std::size_t kLongest = 256, kShortestPassword = 6;
  const std::size_t begin = at + kAuthority.size();
  std::size_t colon = 0, end = begin;
  for (; end < text.size() && end - begin < kLongest; ++end) {
    const char c = text[end];
    if (kEndsAuthority[static_cast<unsigned char>(c)]) {
      if (c == '@') break;
      return std::nullopt;
    }
    if (c == ':' && colon == 0) colon = end;
  }
  if (end >= text.size() || text[end] != '@' || colon == 0 || end - colon - 1 < kShortestPassword) return std::nullopt;
  if (end + 1 >= text.size() || !is_alphanumeric(text[end + 1])) return std::nullopt;
  const std::string_view password = text.substr(colon + 1, end - colon - 1);
  const bool digits = std::all_of(password.begin(), password.end(), is_digit);
  const bool has_digit = std::any_of(password.begin(), password.end(), is_digit);
  const bool upper = std::any_of(password.begin(), password.end(), is_upper);
  const bool lower = std::any_of(password.begin(), password.end(), is_lower);
  // "user:password@host" of a manual is words in one case.
  if (digits || (!has_digit && !(upper && lower))) return std::nullopt;
  return SecretSpan{colon + 1, password.size(), "password"};
}

std::optional<SecretSpan> match_named(std::string_view text, std::size_t at, const Named& named) {
  if (!text.substr(at).starts_with(named.name)) return std::nullopt;
  constexpr std::size_t kMostBetween = 8;
  std::size_t begin = at + named.name.size();
  const std::size_t last = std::min(text.size(), begin + kMostBetween);
  bool assigned = false;
  for (; begin < last && is_one_of("\\\"' =:", text[begin]); ++begin) assigned |= is_one_of("=:", text[begin]);
  const std::size_t run = run_length(text, begin, is_base64);
  std::size_t size = run;
  while (size < run + 2 && begin + size < text.size() && text[begin + size] == '=') ++size;
  if (!assigned || size != named.size) return std::nullopt;
  return SecretSpan{begin, size, named.kind};
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
  // The line alone, in a program that looks for it, is no key.
  constexpr std::size_t kLeastMaterial = 4;
  const std::string_view inside = text.substr(body, end - body);
  if (std::count_if(inside.begin(), inside.end(), is_base64) < static_cast<std::ptrdiff_t>(kLeastMaterial))
    return std::nullopt;
  return SecretSpan{at, end - at, "private key"};
}

// Where a string would begin whose anchor stands at `at`; beyond the text where it cannot.
constexpr std::size_t begin_of(std::size_t at, std::size_t anchor) {
  return at >= anchor ? at - anchor : std::string_view::npos;
}

// The shapes by the middle of their anchor: chains of indices, each ended by kEnd.
constexpr std::uint8_t kEnd = 0xFF;
struct ShapeChains {
  std::array<std::uint8_t, 128> first{};
  std::array<std::uint8_t, std::size(kShapes)> next{}, anchor{};
};
constexpr ShapeChains make_chains() {
  ShapeChains chains;
  chains.first.fill(kEnd);
  for (std::size_t i = std::size(kShapes); i-- > 0;) {
    const std::size_t anchor = anchor_of(kShapes[i].prefix);
    std::uint8_t& first = chains.first[static_cast<unsigned char>(kShapes[i].prefix[anchor + 1])];
    chains.anchor[i] = static_cast<std::uint8_t>(anchor);
    chains.next[i] = first;
    first = static_cast<std::uint8_t>(i);
  }
  return chains;
}
constexpr ShapeChains kChains = make_chains();
static_assert(std::size(kShapes) < kEnd);

// Middles of the anchors of what has no row in kShapes.
constexpr auto kIsSpecial = [] {
  std::array<bool, 128> special{};
  const auto mark = [&](std::string_view start) {
    special[static_cast<unsigned char>(start[anchor_of(start) + 1])] = true;
  };
  for (const Named& named : kNamed) mark(named.name);
  mark(kJwtStart);
  mark(kAuthority);
  mark(kPemBegin);
  return special;
}();

// The secret whose anchor stands at `at`.  Requires: three bytes there.
std::optional<SecretSpan> match_at(std::string_view text, std::size_t at) {
  const auto may_begin = [&](std::size_t begin) {
    return begin < text.size() && !(is_one_of("nrtbfu", text[begin]) && is_escaped(text, begin));
  };
  const std::string_view anchor = text.substr(at, 3);
  const auto middle = static_cast<unsigned char>(anchor[1]);
  for (std::uint8_t i = middle < 128 ? kChains.first[middle] : kEnd; i != kEnd; i = kChains.next[i]) {
    const Shape& shape = kShapes[i];
    if (shape.prefix.substr(kChains.anchor[i], 3) != anchor) continue;
    const std::size_t begin = begin_of(at, kChains.anchor[i]);
    if (!may_begin(begin)) continue;
    if (auto found = match_shape(text, begin, shape)) return found;
  }
  const auto begin_as = [&](std::string_view start) {
    const std::size_t own = anchor_of(start);
    const std::size_t begin = anchor == start.substr(own, 3) ? begin_of(at, own) : std::string_view::npos;
    return may_begin(begin) ? begin : std::string_view::npos;
  };
  constexpr std::size_t kNowhere = std::string_view::npos;
  if (middle >= 128 || !kIsSpecial[middle]) return std::nullopt;
  if (anchor[1] == '/') {
    if (const std::size_t begin = begin_as(kAuthority); begin != kNowhere) return match_authority(text, begin);
    return std::nullopt;
  }
  for (const Named& named : kNamed)
    if (const std::size_t begin = begin_as(named.name); begin != kNowhere)
      if (auto found = match_named(text, begin, named)) return found;
  if (const std::size_t begin = begin_as(kJwtStart); begin != kNowhere) return match_jwt(text, begin);
  if (const std::size_t begin = begin_as(kPemBegin); begin != kNowhere) return match_pem(text, begin);
  return std::nullopt;
}

}  // namespace

const PairFilter& detail::shape_filter() { return kShapeFilter; }

std::optional<SecretSpan> find_secret(std::string_view text, std::size_t from) {
  const detail::KnownSecrets* const known = detail::known_secrets();
  const PairFilter& filter = known ? known->filter() : kShapeFilter;
  for (std::size_t at = filter.skip(text, from); at + 2 <= text.size(); at = filter.skip(text, at + 2)) {
    // The pair is the first of an anchor, or the second.
    for (std::size_t anchor = at > from ? at - 1 : at; anchor <= at; ++anchor) {
      if (!filter.has_anchor(text, anchor)) continue;
      auto found = known ? known->match(text, anchor) : std::nullopt;
      if (!found) {
        found = match_at(text, anchor);
        // A value that is known goes before its shape: it is masked whole.
        if (found && known)
          if (const auto whole = known->match_beginning(text, found->begin); whole && whole->size > found->size)
            found = whole;
      }
      if (found && found->begin >= from) return found;
    }
  }
  return std::nullopt;
}

}  // namespace magi
