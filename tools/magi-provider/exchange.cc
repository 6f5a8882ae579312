#include "tools/magi-provider/exchange.h"

#include <algorithm>

#include "libcommon/base/clock.h"
#include "libcommon/net/retry_after.h"
#include "tools/magi-provider/retry.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxErrorBytes = 64 * 1024;
constexpr std::size_t kMaxDocumentBytes = 64u << 20;

}  // namespace

void Exchange::on_bytes(std::string_view bytes) {
  activity_ = true;
  bytes_ += bytes.size();
  if (outcome_) return;
  if (!is_success()) return collect(bytes, kMaxErrorBytes);
  if (form_ == Form::kUnknown) {
    collected_.append(bytes);
    choose_form();
    if (form_ != Form::kStream) return;
    sse_.push(std::exchange(collected_, {}), reader_);
  } else if (form_ == Form::kStream) {
    sse_.push(bytes, reader_);
  } else {
    collect(bytes, kMaxDocumentBytes);
  }
  settle();
}

// By the first character, because servers send errors as events' type and events as plain text: no field of an event
// begins with a brace, a bracket or a tag.
void Exchange::choose_form() {
  constexpr std::string_view kSkipped = " \t\r\n\xEF\xBB\xBF";
  const std::size_t first = collected_.find_first_not_of(kSkipped);
  if (first == std::string::npos) return;
  const char c = collected_[first];
  form_ = c == '{' || c == '[' || c == '<' ? Form::kDocument : Form::kStream;
}

void Exchange::collect(std::string_view bytes, std::size_t limit) {
  collected_.append(bytes.substr(0, limit - std::min(limit, collected_.size())));
}

void Exchange::settle() {
  if (sse_.overflowed() && !reader_.outcome())
    outcome_ =
        Outcome{Failure{FailureKind::kServer, "an event of the stream is larger than 16 MiB", {}, {}, {}, {}}, {}};
  else if (reader_.outcome())
    outcome_ = reader_.outcome();
  if (outcome_ && outcome_->failure) outcome_->failure->upstream_request_id = request_id();
}

void Exchange::fail_by_status() {
  Failure failure;
  if (head_.status >= 300 && head_.status < 400) {
    failure = Failure{FailureKind::kRequest,
                      "HTTP " + std::to_string(head_.status) + ": the server redirects to " +
                          net::origin_of(head_.location) + "; a key is sent to the base URL alone",
                      head_.status,
                      {},
                      {},
                      {}};
  } else {
    const ErrorDetail detail = read_error_body(collected_);
    failure = classify_status(head_.status, detail);
    if (detail.resets_at_unix_s && *detail.resets_at_unix_s * 1000 > unix_time_ms())
      failure.server_delay_s =
          static_cast<double>(*detail.resets_at_unix_s) - static_cast<double>(unix_time_ms()) / 1000;
  }
  if (const auto delay = net::server_delay(head_.retry_after_ms, head_.retry_after, head_.date, unix_time_ms() / 1000))
    failure.server_delay_s = delay;
  if (head_.should_retry == "true") failure.server_says_retry = true;
  if (head_.should_retry == "false") failure.server_says_retry = false;
  failure.upstream_request_id = request_id();
  outcome_ = Outcome{std::move(failure), {}};
}

void Exchange::finish(const std::optional<Failure>& failure) {
  if (outcome_) return;
  if (has_head() && !is_success()) return fail_by_status();
  if (failure && form_ == Form::kStream) {
    sse_.finish(reader_);
    // What broke the connection came after all that counts.
    if (reader_.winding_down()) reader_.end_of_input();
  }
  if (failure && !reader_.outcome()) {
    outcome_ = Outcome{failure, {}};
    outcome_->failure->upstream_request_id = request_id();
    return;
  }
  if (form_ == Form::kDocument) {
    reader_.read_document(collected_);
  } else if (!reader_.outcome()) {
    sse_.finish(reader_);
    reader_.end_of_input();
  }
  settle();
}

}  // namespace magi::provider
