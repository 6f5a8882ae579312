#include "tools/magi-compact/summary_request.h"

#include "libcommon/event/stream.h"
#include "libcommon/tokens/record_cost.h"

namespace magi::compact {
namespace {

using context::RecordKind;

std::int64_t total(const tokens::RecordCost& cost) {
  std::uint64_t sum = 0;
  for (const tokens::RecordCost::Part& part : cost.parts) sum += part.tokens;
  return static_cast<std::int64_t>(sum);
}

bool is_news(RecordKind kind) {
  return kind == RecordKind::kUser || kind == RecordKind::kAssistant || kind == RecordKind::kProviderItem ||
         kind == RecordKind::kToolCall || kind == RecordKind::kContext;
}

}  // namespace

void SummaryRequest::complete(RequestText text) {
  text_ = std::move(text);
  fixed_tokens_ = tokens_of(text_.prompt) + tokens_of(text_.ask);
}

std::int64_t SummaryRequest::tokens_of(std::string_view text) const {
  return static_cast<std::int64_t>(counter_.count(text) + tokens::kRecordTokens);
}

Result<void> SummaryRequest::take(std::string_view line) {
  MAGI_TRY(const auto record, reader_.line(line));
  if (!record || record->kind == RecordKind::kEnd) return {};
  conversation_tokens_ += total(tokens::cost_of(counter_, context::record_type_name(record->kind), record->root));
  has_news_ |= is_news(record->kind);
  if (fits())
    records_.append(line) += '\n';
  else
    records_ = std::string();
  return {};
}

Result<void> SummaryRequest::finish() {
  auto finished = reader_.finish();
  if (!finished) return make_error(finished.error().code, "magi-replay: ", finished.error().what);
  return {};
}

std::string SummaryRequest::stream() const {
  event::Request request;
  request.request_id = "summary";
  request.session_id = request.thread_id = text_.session_id;
  request.instructions = text_.prompt;
  std::string out;
  event::append_record(out, request);
  out += records_;
  event::User ask;
  ask.text = text_.ask;
  event::append_record(out, ask);
  event::append_record(out, event::End{});
  return out;
}

}  // namespace magi::compact
