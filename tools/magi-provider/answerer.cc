#include "tools/magi-provider/answerer.h"

namespace magi::provider {

void write_done(AnswerWriter& out, std::string_view status, std::string_view stop_reason) {
  out.record(event::Done{{}, std::string(status), std::string(stop_reason)});
}

void write_error(AnswerWriter& out, const Failure& failure) {
  event::ProviderError error;
  error.category = category(failure.kind);
  error.message = failure.message;
  error.upstream_request_id = failure.upstream_request_id;
  error.retryable = is_transient(failure.kind) || failure.kind == FailureKind::kTruncated;
  error.partial = out.accepted();
  error.http_status = failure.http_status;
  out.record(std::move(error));
}

}  // namespace magi::provider
