#include "tools/magi-tool/person.h"

#include "libcommon/base/clock.h"
#include "libcommon/event/answers.h"
#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/signals.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-tool/answer.h"
#include "tools/magi-tool/serve.h"

namespace magi::toolbox {
namespace {

constexpr std::string_view kName = "magi-tool";

bool is_object(const std::string& text) {
  json::Parser parser;
  const auto node = parser.parse(text);
  return node && node->is(json::Kind::kObject);
}

// "{ ls; }" is a command and {"command":"ls"} an object: the one that is JSON, or looks as if it was meant to be.
Result<std::string> arguments_of(const Tool& tool, const std::optional<std::string>& argument) {
  if (!argument) return std::string("{}");
  if (is_object(*argument) || tool.plain_argument.empty() || argument->starts_with("{\"")) return *argument;
  std::string json;
  json::Writer(json).begin_object().key(tool.plain_argument).string(*argument).end_object();
  return json;
}

}  // namespace

Result<int> run_for_person(Session& session, const std::string& name, const std::optional<std::string>& argument) {
  const Tool& tool = *find_tool(name);
  event::ToolCall call;
  call.call_id = "person";
  call.name = name;
  MAGI_TRY(call.arguments, arguments_of(tool, argument));
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  session.loop.on_readable(signals.fd(), [] { return false; });
  const std::int64_t started = monotonic_ns();
  Ran ran = run_call(session, call, [&] { return signals.received() != 0; }, {});
  const bool ran_at_all = ran.outcome.has_value();
  const std::string remark = ran_at_all ? ran.outcome->remark : std::string();
  const event::ToolAnswer answer =
      make_answer(call.call_id, std::move(ran.outcome), std::move(ran.details), std::move(ran.effects), started);
  const bool success = answer.status == status_name(Status::kSuccess);
  if (!ran_at_all) {
    tool::report(kName, make_error(ErrorCode::kUpstream, name, ": ", answer.output));
    return kExitFailed;
  }
  tool::Stdout out;
  MAGI_CHECK(out.write(answer.output));
  if (!answer.output.empty() && !answer.output.ends_with('\n')) MAGI_CHECK(out.write("\n"));
  MAGI_CHECK(out.flush());
  if (!success) tool::notice(kName, name + ": " + (remark.empty() ? answer.status : remark));
  if (signals.received() != 0) return 128 + signals.received();
  return success ? kExitOk : kExitFailed;
}

}  // namespace magi::toolbox
