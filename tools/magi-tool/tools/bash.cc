// bash: one shell command in the root, in the foreground or as a background job.
#include <string.h>

#include <chrono>

#include "tools/magi-tool/session.h"
#include "tools/magi-tool/shell_report.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"command", Type::kString, true, ""},
    {"timeout_ms", Type::kInteger, false, "default 120000"},
    {"background", Type::kBoolean, false, "return at once with a job for bash_job"},
    {"unconfined", Type::kBoolean, false, "ask the user to allow network and writes elsewhere"},
};

constexpr std::size_t kLongestCommand = 128 * 1024 - 1;  // the kernel's limit of one argument
constexpr std::int64_t kLongestMs = 24 * 3600 * 1000LL;
constexpr std::chrono::milliseconds kGrace{2'000};

// False when it could not even be started.
Result<void> check_started(Call& call, const ShellRun& run) {
  if (run.state() == ShellRun::State::kFailed) return make_error(ErrorCode::kIo, run.why());
  if (run.state() != ShellRun::State::kRefused) return {};
  call.effects.shell_calls = 0;
  call.details.needs_approval = "commands cannot be confined here (" + run.why() + ")";
  return make_error(ErrorCode::kDenied, "not done: ", call.details.needs_approval,
                    ". It needs the user's approval; --permissions full would allow it too.");
}

Result<Outcome> in_background(Call& call, std::shared_ptr<ShellRun> run, std::int64_t timeout_ms) {
  MAGI_TRY(const Job* job, call.session.shell.add_job(std::move(run), *call.arguments.text("command"), timeout_ms));
  call.details.job = job->id;
  Outcome outcome;
  outcome.output = "job " + job->id + " started; bash_job reads its output or stops it\n";
  return outcome;
}

// Blocks until the command ends, the call is cancelled or its time is over; then nothing of it runs but what it left in
// the background on purpose.
Result<Outcome> in_foreground(Call& call, ShellRun& run, std::int64_t timeout_ms) {
  Session& session = call.session;
  Progress progress(call, run);
  const auto deadline = EventLoop::Clock::now() + std::chrono::milliseconds(timeout_ms);
  bool cancelled = false;
  const bool ended = session.loop.tick_until(
      [&] {
        progress.send();
        return run.ended() || (cancelled = call.cancelled());
      },
      deadline);
  const bool late = !ended;
  if (late) {
    run.terminate();
    session.loop.tick_until([&] { return run.ended() || call.cancelled(); }, EventLoop::Clock::now() + kGrace);
  }
  if (late || cancelled || run.state() == ShellRun::State::kLost) session.shell.stop(run);
  MAGI_CHECK(check_started(call, run));
  Outcome outcome;
  outcome.output = run.output().text(&outcome.omitted_bytes);
  describe_end(run, call.details, outcome);
  if (cancelled) {
    outcome.status = Status::kCancelled;
    outcome.remark = "cancelled";
  } else if (late) {
    outcome.status = Status::kTimedOut;
    outcome.remark = "timed out after " + std::to_string(timeout_ms) + " ms and was killed";
  }
  return outcome;
}

Result<Outcome> run(Call& call) {
  Session& session = call.session;
  const std::int64_t asked = call.arguments.integer("timeout_ms").value_or(0);
  if (asked > kLongestMs)
    return make_error(ErrorCode::kUsage, "argument 'timeout_ms' must be at most ", std::to_string(kLongestMs));
  if (const std::size_t size = call.arguments.text("command")->size(); size > kLongestCommand)
    return make_error(ErrorCode::kUsage, "the command has ", std::to_string(size), " bytes, and at most ",
                      std::to_string(kLongestCommand), " can be passed: write it to a file and run that");
  const bool background = call.arguments.flag("background");
  const bool wants_out = call.arguments.flag("unconfined");
  const Result<std::string> confinable =
      session.mode == Mode::kFull ? Result<std::string>("") : session.shell.confinable(session.workspace);
  MAGI_TRY(const bool confine, allow_command(call, *call.arguments.text("command"), confinable, wants_out));
  MAGI_TRY(std::shared_ptr<ShellRun> shell_run,
           session.shell.start(session.workspace, *call.arguments.text("command"), confine));
  call.effects.kind = "shell";
  call.effects.shell_calls = 1;
  call.effects.confined = confine;
  call.effects.network = !confine || session.shell.settings().network;
  call.details.provenance = provenance::kCommand;
  if (background) return in_background(call, std::move(shell_run), asked);
  return in_foreground(call, *shell_run, asked > 0 ? asked : session.shell.settings().timeout_ms);
}

}  // namespace

const Tool kBash{"bash", "Run a shell command in the working directory: no input, no terminal, cd does not last.",
                 kParameters, "command", run};

}  // namespace magi::toolbox
