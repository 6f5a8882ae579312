// bash_job: looks at, waits for or ends a command that was started in the background.
#include <chrono>

#include "tools/magi-tool/session.h"
#include "tools/magi-tool/shell_report.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr std::string_view kActions[] = {"read", "wait", "stop", "list"};
constexpr Parameter kParameters[] = {
    {"job", Type::kString, false, ""},
    {"action", Type::kString, false, "default read: output since the last read", kActions},
    {"timeout_ms", Type::kInteger, false, "of wait"},
};

constexpr std::chrono::milliseconds kGrace{2'000};  // between SIGTERM and SIGKILL

std::string state_of(const Job& job) {
  if (job.run->ended() && job.timed_out) return "timed out";
  if (job.run->ended() && job.stopped) return "stopped";
  switch (job.run->state()) {
    case ShellRun::State::kExited: return "exit code " + std::to_string(job.run->code());
    case ShellRun::State::kSignaled: return "ended by " + signal_name(job.run->code());
    case ShellRun::State::kKilled: return "stopped";
    case ShellRun::State::kRunning: return "running";
    case ShellRun::State::kRefused:
    case ShellRun::State::kFailed: return "not started: " + job.run->why();
    case ShellRun::State::kLost: break;
  }
  return "lost";
}

Outcome list(const Shell& shell) {
  Outcome outcome;
  for (const auto& job : shell.jobs()) {
    outcome.output += job->id + " (" + state_of(*job) + ") ";
    append_clipped(outcome.output, visible(job->command), 100);
    outcome.output += '\n';
  }
  if (shell.jobs().empty()) outcome.output = "no jobs\n";
  return outcome;
}

// SIGTERM first, so that a server can put its things in order.
void stop(Call& call, Job& job) {
  Session& session = call.session;
  if (!job.run->ended()) {
    job.stopped = true;
    job.run->terminate();
    session.loop.tick_until([&] { return job.run->ended() || call.cancelled(); }, EventLoop::Clock::now() + kGrace);
  }
  session.shell.stop(*job.run);
}

Result<Outcome> run(Call& call) {
  Session& session = call.session;
  const std::string* const id = call.arguments.text("job");
  const std::string* const asked = call.arguments.text("action");
  const std::string_view action = asked ? std::string_view(*asked) : id ? "read" : "list";
  call.effects.kind = "read";
  call.details.provenance = provenance::kCommand;
  if (action == "list") return list(session.shell);
  if (!id) return make_error(ErrorCode::kUsage, "argument 'job' is missing");
  Job* const job = session.shell.find_job(*id);
  if (job == nullptr)
    return make_error(ErrorCode::kNotFound, "no job ", quoted(*id),
                      "; jobs end with the process that started them, and are lost with it");
  call.details.job = job->id;
  Outcome outcome;
  if (action == "wait") {
    const auto limit =
        std::chrono::milliseconds(call.arguments.integer("timeout_ms").value_or(session.shell.settings().timeout_ms));
    bool cancelled = false;
    Progress progress(call, *job->run);
    session.loop.tick_until(
        [&] {
          progress.send();
          return job->run->ended() || (cancelled = call.cancelled());
        },
        EventLoop::Clock::now() + limit);
    if (cancelled) outcome.status = Status::kCancelled;
  } else if (action == "stop") {
    stop(call, *job);
  } else {
    session.loop.run_ready();
  }
  outcome.output = job->run->take_output();
  outcome.remark = "job " + job->id + ": " + state_of(*job);
  if (job->run->state() == ShellRun::State::kExited) call.details.exit_code = job->run->code();
  if (job->run->state() == ShellRun::State::kSignaled) call.details.signal = signal_name(job->run->code());
  return outcome;
}

}  // namespace

const Tool kBashJob{"bash_job", "Background jobs: read, wait for, stop or list them.", kParameters, "job", run};

}  // namespace magi::toolbox
