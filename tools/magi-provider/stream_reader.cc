#include "tools/magi-provider/stream_reader.h"

#include <algorithm>
#include <functional>

#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"

namespace magi::provider {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// An error value that says something: servers send "error":null and "error":"" beside a good chunk.
bool is_error_value(const json::Node& value) {
  if (value.is(json::Kind::kString)) return !value.raw_string().empty();
  return value.is(json::Kind::kObject) || value.is(json::Kind::kArray);
}

}  // namespace

RawText raw_member(const json::Node& object, std::string_view key) {
  const json::Node value = object.find(key);
  return value.is(json::Kind::kString) ? value.raw_string() : RawText();
}

std::optional<std::int64_t> tokens_of(const json::Node& count) {
  // Twice the largest window that any model has.
  constexpr std::int64_t kMost = 20'000'000;
  const auto number = count.as_int();
  return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
}

std::string raw_from_text(std::string_view text) {
  std::string quoted_text;
  json::append_quoted(quoted_text, text);
  return quoted_text.substr(1, quoted_text.size() - 2);
}

void StreamReader::on_sse(const SseEvent& event) {
  if (outcome_) return;
  const std::string_view data = trimmed(event.data);
  // Some gateways send the comments of their upstream as data.
  if (data.empty() || data.front() == ':') return;
  if (data.substr(0, 6) == "[DONE]") return on_done_marker();
  if (take_same_delta(event, data)) return;
  event_name_ = event.name;
  delta_ = {};
  const bool taken = take_json(data);
  if (taken && !delta_.empty()) learn_delta(event, data);
  if (taken || event.torn) return;
  ++skipped_events_;
  // A proxy may have put its error into a half-written event: two texts, one of them whole.
  for (std::size_t at = 0; at < data.size() && !outcome_;) {
    const std::size_t end = std::min(data.find('\n', at), data.size());
    take_json(data.substr(at, end - at));
    at = end + 1;
  }
  if (!outcome_ && event_name_ == event::ProviderError::kType) {
    ErrorDetail detail;
    detail.message = data;
    fail(classify_in_stream(detail));
  }
}

bool StreamReader::take_same_delta(const SseEvent& event, std::string_view data) {
  if (!delta_shape_ || event.name != delta_shape_->event_name || !data.starts_with(delta_shape_->head)) return false;
  const DeltaShape& shape = *delta_shape_;
  std::string_view rest = data.substr(shape.head.size());
  if (shape.has_number) {
    std::size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    if (digits == 0 || (digits > 1 && rest[0] == '0')) return false;
    rest.remove_prefix(digits);
    if (!rest.starts_with(shape.middle)) return false;
    rest.remove_prefix(shape.middle.size());
  }
  // What is escaped, or no ASCII, or an escape's half is left to the parser.
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
  std::size_t length = 0;
  while (length < rest.size() && is_plain(rest[length])) ++length;
  if (rest.substr(length) != shape.tail) return false;
  on_same_delta(rest.substr(0, length));
  return true;
}

void StreamReader::learn_delta(const SseEvent& event, std::string_view data) {
  const std::less<const char*> before;
  if (before(delta_.data(), data.data()) || before(data.data() + data.size(), delta_.data() + delta_.size())) return;
  const auto at = static_cast<std::size_t>(delta_.data() - data.data());
  DeltaShape shape{std::string(event.name),
                   std::string(data.substr(0, at)),
                   {},
                   std::string(data.substr(at + delta_.size())),
                   false};
  constexpr std::string_view kNumber = "\"sequence_number\":";
  if (const std::size_t found = shape.head.find(kNumber); found != std::string::npos) {
    const std::size_t begin = found + kNumber.size();
    const std::size_t end = std::min(shape.head.find_first_not_of("0123456789", begin), shape.head.size());
    shape.has_number = end > begin;
    if (shape.has_number) {
      shape.middle = shape.head.substr(end);
      shape.head.resize(begin);
    }
  }
  delta_shape_ = std::move(shape);
}

bool StreamReader::take_json(std::string_view data) {
  auto value = parser_.parse_padded(data);
  if (!value && !utf8::is_valid(data)) value = parser_.parse(utf8::sanitize(data));
  if (!value) return false;
  take_value(event_name_, *value);
  return true;
}

void StreamReader::take_value(std::string_view event_name, const json::Node& value) {
  const std::string_view error = event::ProviderError::kType;
  if (event_name == error || raw_member(value, "type") == error || is_error_value(value.find("error")))
    return fail(classify_in_stream(read_error(value)));
  on_value(value);
}

void StreamReader::read_document(std::string_view body) {
  auto value = parser_.parse(body);
  if (!value && !utf8::is_valid(body)) value = parser_.parse(utf8::sanitize(body));
  if (!value) {
    const ErrorDetail detail = read_error_body(body);
    return fail(body.find('<') == body.find_first_not_of(" \t\r\n") ? FailureKind::kRequest : FailureKind::kCut,
                "not a model's answer: " + one_line(detail.message));
  }
  const bool is_error = is_error_value(value->find("error")) || value->is(json::Kind::kArray) ||
                        raw_member(*value, "type") == event::ProviderError::kType;
  if (is_error) return fail(classify_in_stream(read_error(*value)));
  on_document(*value);
  if (!outcome_) fail(FailureKind::kRequest, "not a model's answer: " + one_line(value->raw()));
}

void StreamReader::end_of_input() {
  if (!outcome_) on_end();
  if (!outcome_) fail_cut();
}

std::string StreamReader::claim_call_id(std::string_view upstream_id) {
  std::string id =
      upstream_id.empty() ? "call_" + std::to_string(context_.call_ids.size() + 1) : std::string(upstream_id);
  const std::string stem = id;
  for (int n = 2; context_.call_ids.count(id); ++n) id = stem + "_" + std::to_string(n);
  context_.call_ids.insert(id);
  return id;
}

void StreamReader::finish_call(std::string call_id, std::string_view name, std::string arguments) {
  std::string text;
  json::append_unescaped(text, arguments);
  if (trimmed(text).empty()) {
    arguments = "{}";
  } else if (!arguments_parser_.parse(text)) {
    broken_call_ = original_name(name);
    return;
  }
  out_.hold_call({std::move(call_id), original_name(name), std::move(arguments)});
}

void StreamReader::distrust_last_call() {
  if (out_.last_held_is_call() && broken_call_.empty()) broken_call_ = out_.take_last_call().name;
}

void StreamReader::complete(std::string_view reason) {
  if (outcome_) return;
  const bool has_call = out_.holds_call() || out_.wrote_call();
  if (!broken_call_.empty() && !has_call)
    return fail(FailureKind::kTruncated,
                reason == stop::kMaxTokens
                    ? "the output limit cut the arguments of tool call " + quoted(broken_call_)
                    : "the arguments of tool call " + quoted(broken_call_) + " are not complete JSON");
  out_.release();
  outcome_ = Outcome{{}, std::string(has_call && reason != stop::kMaxTokens ? stop::kToolUse : reason)};
}

void StreamReader::fail(Failure failure) {
  if (outcome_) return;
  out_.drop_held();
  outcome_ = Outcome{std::move(failure), {}};
}

void StreamReader::fail_cut() { fail(FailureKind::kCut, "the answer ended before it was complete"); }

void StreamReader::note_model(const json::Node& model) {
  if (!reported_model_.empty()) return;
  if (auto text = model.as_string()) reported_model_ = *std::move(text);
}

std::string StreamReader::original_name(std::string_view name) const {
  for (const auto& [sent, defined] : context_.tool_names)
    if (sent == name) return defined;
  return std::string(name);
}

}  // namespace magi::provider
