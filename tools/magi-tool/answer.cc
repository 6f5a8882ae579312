#include "tools/magi-tool/answer.h"

#include <sys/random.h>

#include <array>

#include "libcommon/base/clock.h"
#include "libcommon/session/mask_fields.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {
namespace {

std::string new_result_id() {
  std::array<unsigned char, 10> random{};
  if (::getrandom(random.data(), random.size(), 0) < 0) random.fill(static_cast<unsigned char>(monotonic_ns()));
  std::string id = "res_";
  for (const unsigned char byte : random) {
    constexpr char kHex[] = "0123456789abcdef";
    id += kHex[byte >> 4];
    id += kHex[byte & 15];
  }
  return id;
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

// What the model is shown where that is not just the output.
std::optional<std::string> view_of(const std::string& output, const std::string& remark) {
  std::optional<std::string> view = shortened(output);
  if (remark.empty()) return view;
  if (!view) view = output;
  if (!view->empty() && !view->ends_with('\n')) *view += '\n';
  return view->append("[").append(remark).append("]");
}

}  // namespace

std::string_view status_name(Status status) {
  switch (status) {
    case Status::kSuccess: return "success";
    case Status::kError: return "error";
    case Status::kCancelled: return "cancelled";
    case Status::kTimedOut: return "timed_out";
  }
  return "";
}

event::ToolAnswer make_answer(const std::string& call_id, Result<Outcome> outcome, Details details, Effects effects,
                              std::int64_t started_ns) {
  Outcome result;
  if (outcome) {
    result = *std::move(outcome);
  } else {
    result.status = Status::kError;
    result.output = std::move(outcome.error().what);
  }
  effects.partial = result.status != Status::kSuccess && effects.mutations > 0;
  event::ToolAnswer answer;
  answer.call_id = call_id;
  answer.result_id = new_result_id();
  answer.status = status_name(result.status);
  answer.output = visible(std::move(result.output));
  if (result.omitted_bytes > 0) answer.omitted_bytes = result.omitted_bytes;
  answer.details = as_json(details);
  if (answer.details.json == "{}") answer.details.json.clear();
  answer.effects = as_json(effects);
  answer.parts = std::move(result.parts);
  session::mask_fields(answer);
  // From the masked text, so that a mask is never half shown and a secret never half masked.
  answer.view = view_of(answer.output, result.remark);
  answer.duration_ms = (monotonic_ns() - started_ns) / 1'000'000;
  return answer;
}

}  // namespace magi::toolbox
