// The model's own tool for its context, magi_control, and the numbers behind it.
#include "libcommon/json/writer.h"
#include "tools/magi-code/loop/control_tool.h"
#include "tools/magi-code/loop/run.h"

namespace magi::code {
namespace {

std::string usage_json(const TokenReport& report) {
  std::string text;
  json::Writer out(text);
  out.begin_object().key("used").integer(report.total).key("percent").number(report.percent);
  out.key("max_tokens").integer(report.max_tokens).key("usable").integer(report.usable).key("compaction_cutoff");
  if (report.compaction_cutoff)
    out.integer(*report.compaction_cutoff);
  else
    out.null();
  out.key("method").string(report.method).end_object();
  return text;
}

}  // namespace

void Run::measure(std::function<void(Result<TokenReport>)> on_report) {
  auto stream = parts_.journal.projected(next_request(), {});
  if (!stream) return parts_.loop.post([error = stream.error(), on_report] { on_report(error); });
  parts_.tokens.count(std::make_shared<const std::string>(*std::move(stream)), [on_report](const Verdict& verdict) {
    if (verdict.report) return on_report(*verdict.report);
    on_report(make_error(ErrorCode::kUpstream, verdict.reason));
  });
}

// The results of the running calls are not in the count: they are not there yet.
void Run::control(const event::ToolCall& call) {
  const auto answer = [this, id = call.call_id](std::string status, std::string output) {
    event::ToolAnswer made;
    made.call_id = id;
    made.result_id = new_result_id();
    made.status = std::move(status);
    made.output = std::move(output);
    made.effects.json = kNoEffects;
    parts_.loop.post([this, made = std::move(made)]() mutable { on_result(std::move(made)); });
  };
  const auto wish = read_control_call(call.arguments);
  if (!wish) return answer("error", wish.error().what);
  if (wish->action == ControlWish::Action::kContextUsage)
    return measure([answer](Result<TokenReport> report) {
      if (report) return answer("success", usage_json(*report));
      answer("error", "the context cannot be measured: " + report.error().what);
    });
  if (!can_compact()) return answer("error", "this session is not stored, so it cannot be compacted");
  wanted_ = wish->instructions;
  answer("success", "the session is compacted before the next request, unless this run may compact no further");
}

}  // namespace magi::code
