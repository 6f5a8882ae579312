#include "tools/magi-mcp/answer.h"

#include <sys/random.h>

#include <cstdio>

#include "libcommon/base/clock.h"
#include "libcommon/base/shown_text.h"
#include "libcommon/session/mask_fields.h"

namespace magi::mcp {
namespace {

std::string new_result_id() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) < 0) random = static_cast<std::uint64_t>(monotonic_ns());
  char text[32];
  std::snprintf(text, sizeof text, "res_%016llx", static_cast<unsigned long long>(random));
  return text;
}

template <class Record>
event::Raw as_json(const Record& record) {
  event::Raw raw;
  json::Writer out(raw.json);
  out.begin_object();
  event::print_fields(out, record);
  out.end_object();
  return raw;
}

std::string_view status_of(const CallOutcome& outcome) {
  if (outcome.result) return outcome.result->is_error ? "error" : "success";
  switch (outcome.failure.kind) {
    case CallFailure::Kind::kFailed: return "error";
    case CallFailure::Kind::kTimedOut: return "timed_out";
    case CallFailure::Kind::kCancelled: return "cancelled";
  }
  return "error";
}

}  // namespace

event::ToolAnswer make_answer(const std::string& call_id, CallOutcome outcome, const CallDetails& details,
                              const CallEffects& effects, std::int64_t started_ns) {
  event::ToolAnswer answer;
  answer.call_id = call_id;
  answer.result_id = new_result_id();
  answer.status = status_of(outcome);
  if (outcome.result) {
    answer.output = visible(std::move(outcome.result->output));
    answer.parts = std::move(outcome.result->parts);
    if (outcome.result->omitted_bytes > 0) answer.omitted_bytes = outcome.result->omitted_bytes;
  } else {
    answer.output = visible(std::move(outcome.failure.why));
  }
  answer.details = as_json(details);
  answer.effects = as_json(effects);
  session::mask_fields(answer);
  answer.view = shortened(answer.output);
  answer.duration_ms = (monotonic_ns() - started_ns) / 1'000'000;
  return answer;
}

std::string approval_reason(std::string_view mode, bool approved, bool read_only, const Server& server,
                            const std::string& tool) {
  if (approved || mode == "full") return {};
  if (mode == "workspace" && read_only && server.settings().allow_read_only) return {};
  return "this calls " + quoted(tool) + " of the MCP server " + quoted(server.name()) + ", which is not confined";
}

}  // namespace magi::mcp
