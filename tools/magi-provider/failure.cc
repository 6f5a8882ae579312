#include "tools/magi-provider/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "libcommon/base/secret_shapes.h"
#include "libcommon/base/utf8.h"

namespace magi::provider {
namespace {

constexpr std::string_view kNames[] = {"connect",          "certificate", "stream",    "timeout", "rate_limit",
                                       "overloaded",       "server",      "request",   "auth",    "quota",
                                       "context_overflow", "policy",      "truncated", "script",  "config"};

// Codes, types and phrases that servers use, as lower-case fragments.
constexpr std::string_view kOverflow[] = {"context_length_exceeded",
                                          "exceed_context_size_error",
                                          "model_context_window_exceeded",
                                          "prompt is too long",
                                          "input is too long for requested model",
                                          "exceeds the context window",
                                          "exceeds the maximum number of tokens",
                                          "maximum prompt length is ",
                                          "reduce the length of the messages",
                                          "maximum context length ",
                                          "exceeds the limit of ",
                                          "exceeds the available context size",
                                          "greater than the context length",
                                          "context window exceeds limit",
                                          "exceeded model token limit",
                                          "context length exceeded",
                                          "context length is only ",
                                          "exceed context limit",
                                          "prompt too long; exceeded",
                                          "too_many_prompt_tokens",
                                          "total length of all messages is too long",
                                          "request entity too large",
                                          "request_too_large"};
constexpr std::string_view kQuota[] = {"insufficient_quota",
                                       "billing",
                                       "usage_limit_reached",
                                       "usage_not_included",
                                       "enforced_spend_limit_reached",
                                       "credit balance is too low",
                                       "daily quota",
                                       "request too large"};
constexpr std::string_view kPolicy[] = {"content_policy_violation", "cyber_policy", "bio_policy", "invalid_prompt",
                                        "content_filter"};
constexpr std::string_view kOverloaded[] = {"overload", "slow_down", "at capacity"};
constexpr std::string_view kRateLimit[] = {"rate_limit", "rate limit", "ratelimit", "resource_exhausted",
                                           "too many requests"};
constexpr std::string_view kPassing[] = {
    "stream disconnected", "upstream",  "unavailable",       "timeout",
    "timed out",           "try again", "stream_read_error", "internal server error"};

std::size_t find_ignoring_case(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found = std::search(text.begin(), text.end(), part.begin(), part.end(),
                                 [&](char a, char b) { return lower(a) == lower(b); });
  return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// "11.054s", "1m30s", "20 ms" at the front of the text.
std::optional<double> seconds_in(std::string_view text) {
  double total = 0;
  bool any = false;
  while (true) {
    skip_blanks(text);
    double number = 0;
    const auto [end, failed] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (failed != std::errc{}) break;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    skip_blanks(text);
    if (text.substr(0, 2) == "ms") return total + number / 1000;
    if (text.empty() || (text.front() != 'm' && text.front() != 's')) break;
    any = true;
    total += text.front() == 'm' ? number * 60 : number;
    if (text.front() == 's') break;
    text.remove_prefix(1);
  }
  return any ? std::optional(total) : std::nullopt;
}

bool any_of(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains_ignoring_case(text, part); });
}

bool says(const ErrorDetail& detail, std::span<const std::string_view> parts) {
  return any_of(detail.code, parts) || any_of(detail.type, parts) || any_of(detail.message, parts);
}

// What holds with and without an HTTP status.
std::optional<FailureKind> kind_by_words(const ErrorDetail& detail) {
  if (says(detail, kQuota)) return FailureKind::kQuota;
  if (says(detail, kPolicy)) return FailureKind::kPolicy;
  return std::nullopt;
}

FailureKind kind_by_status(std::int64_t status, const ErrorDetail& detail) {
  if (status == 429 || status == 402) {
    if (status == 402 || says(detail, kQuota)) return FailureKind::kQuota;
    return FailureKind::kRateLimit;
  }
  if (status == 400 || status == 413) {
    const bool empty = detail.message.empty() && detail.code.empty() && detail.type.empty();
    if (empty || status == 413 || says(detail, kOverflow)) return FailureKind::kOverflow;
  }
  if (status == 401 || status == 403) return FailureKind::kAuth;
  if (status == 503 || status == 529) return FailureKind::kOverloaded;
  if (status == 408 || status == 409 || status == 425 || status >= 500) return FailureKind::kServer;
  return kind_by_words(detail).value_or(FailureKind::kRequest);
}

FailureKind kind_in_stream(const ErrorDetail& detail) {
  if (says(detail, kOverflow)) return FailureKind::kOverflow;
  if (const auto kind = kind_by_words(detail)) return *kind;
  // The words of a failing proxy beat the type it was given: a cut stream is reported as an invalid request.
  if (says(detail, kOverloaded)) return FailureKind::kOverloaded;
  if (says(detail, kRateLimit)) return FailureKind::kRateLimit;
  if (any_of(detail.message, kPassing)) return FailureKind::kServer;
  if (detail.status && *detail.status >= 400) return kind_by_status(*detail.status, detail);
  const std::string_view type = detail.type;
  if (type == "authentication_error" || type == "permission_error") return FailureKind::kAuth;
  if (type == "invalid_request_error" || type == "not_found_error" || type == "BadRequestError")
    return FailureKind::kRequest;
  return FailureKind::kServer;
}

std::string text_of(const json::Node& node) {
  if (auto text = node.as_string()) return *std::move(text);
  return node && !node.is(json::Kind::kNull) ? std::string(node.raw()) : std::string();
}

std::string title_of_page(std::string_view page) {
  const std::size_t tag = page.find("<title");
  const std::size_t begin = tag == std::string_view::npos ? tag : page.find('>', tag);
  if (begin == std::string_view::npos) return "an HTML page instead of an answer";
  const std::string_view title = page.substr(begin + 1, page.find('<', begin) - begin - 1);
  return "an HTML page instead of an answer: " + std::string(title);
}

std::string describe(const ErrorDetail& detail) {
  if (!detail.message.empty()) return one_line(detail.message);
  return one_line(detail.code.empty() ? detail.type : detail.code);
}

}  // namespace

std::string_view category(FailureKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

bool is_transient(FailureKind kind) {
  switch (kind) {
    case FailureKind::kConnect:
    case FailureKind::kCut:
    case FailureKind::kTimeout:
    case FailureKind::kRateLimit:
    case FailureKind::kOverloaded:
    case FailureKind::kServer: return true;
    default: return false;
  }
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return find_ignoring_case(text, part) != std::string_view::npos;
}

ErrorDetail read_error(const json::Node& root) {
  json::Node node = root;
  if (root.is(json::Kind::kArray))
    for (const json::Node element : root.elements()) return read_error(element);
  ErrorDetail detail;
  if (const json::Node error = root.find("error"); error.is(json::Kind::kObject))
    node = error;
  else if (error)
    detail.message = text_of(error);
  if (node.is(json::Kind::kString)) detail.message = text_of(node);
  for (const std::string_view key : {"message", "detail", "error_description"})
    if (detail.message.empty()) detail.message = text_of(node.find(key));
  detail.type = text_of(node.find("type"));
  const json::Node code = node.find("code") ? node.find("code") : node.find("status");
  detail.code = text_of(code);
  std::int64_t status = 0;
  const auto [end, failed] = std::from_chars(detail.code.data(), detail.code.data() + detail.code.size(), status);
  if (failed == std::errc{} && end == detail.code.data() + detail.code.size() && status >= 300 && status < 600)
    detail.status = status;
  if (const json::Node inner = node.find("details").find("error_code")) detail.code = text_of(inner);
  for (const json::Node element : node.find("details").elements())
    if (const auto delay = element.find("retryDelay").as_string()) detail.delay_s = seconds_in(*delay);
  if (const auto seconds = node.find("resets_in_seconds").as_double()) detail.delay_s = seconds;
  detail.resets_at_unix_s = node.find("resets_at").as_int();
  // A router's own words say little; what the provider behind it said is in the metadata.
  if (const std::string raw = text_of(node.find("metadata").find("raw")); !raw.empty())
    detail.message += detail.message.empty() ? raw : ": " + raw;
  return detail;
}

ErrorDetail read_error_body(std::string_view body) {
  json::Parser parser;
  if (auto root = parser.parse(body)) return read_error(*root);
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  ErrorDetail detail;
  if (first == std::string_view::npos) return detail;
  detail.message = body[first] == '<' ? title_of_page(body) : std::string(body.substr(first));
  return detail;
}

Failure classify_status(std::int64_t status, const ErrorDetail& detail) {
  Failure failure;
  failure.kind = kind_by_status(status, detail);
  const std::string said = describe(detail);
  failure.message = "HTTP " + std::to_string(status) + (said.empty() ? std::string() : ": " + said);
  failure.http_status = status;
  failure.server_delay_s = detail.delay_s ? detail.delay_s : delay_in_text(detail.message);
  return failure;
}

Failure classify_in_stream(const ErrorDetail& detail) {
  Failure failure;
  failure.kind = kind_in_stream(detail);
  const std::string said = describe(detail);
  failure.message = said.empty() ? std::string("the server reported an error without saying which") : said;
  failure.server_delay_s = detail.delay_s ? detail.delay_s : delay_in_text(detail.message);
  return failure;
}

std::optional<double> delay_in_text(std::string_view text) {
  constexpr std::string_view kPhrase = "try again in";
  const std::size_t found = find_ignoring_case(text, kPhrase);
  return found == std::string_view::npos ? std::nullopt : seconds_in(text.substr(found + kPhrase.size()));
}

std::string redacted(std::string text, std::string_view key) {
  // Placeholders like "x" for servers that need no key would only spoil the text.
  constexpr std::size_t kShortestSecret = 4;
  constexpr std::string_view kMask = "[key]";
  if (key.size() >= kShortestSecret)
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += kMask.size())
      text.replace(at, key.size(), kMask);
  for (auto secret = find_secret(text); secret; secret = find_secret(text, secret->begin + kMask.size()))
    text.replace(secret->begin, secret->size, kMask);
  return text;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kMaxBytes = 500;
  std::string line;
  for (const char c : text.substr(0, utf8::floor_boundary(text, kMaxBytes))) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (text.size() > kMaxBytes) line += "...";
  return line;
}

}  // namespace magi::provider
