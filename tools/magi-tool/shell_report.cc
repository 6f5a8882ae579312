#include "tools/magi-tool/shell_report.h"

#include <string.h>

#include "tools/magi-tool/text.h"

namespace magi::toolbox {
namespace {

using namespace std::chrono_literals;
constexpr auto kFirst = 400ms, kEach = 250ms;
constexpr std::size_t kMostBytes = 16 * 1024;

}  // namespace

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

Progress::Progress(Call& call, ShellRun& run)
    : call_(call), run_(run), next_(std::chrono::steady_clock::now() + kFirst) {
  if (!call.progress) return;
  run.on_output([this](std::string_view piece) {
    waiting_.append(piece);
    if (waiting_.size() > 2 * kMostBytes) waiting_.erase(0, waiting_.size() - kMostBytes);
  });
}

void Progress::send() {
  if (waiting_.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  const std::size_t end = waiting_.rfind('\n');
  if (now < next_ || end == std::string::npos) return;
  next_ = now + kEach;
  call_.progress(std::string_view(waiting_).substr(0, end + 1));
  waiting_.erase(0, end + 1);
}

void describe_end(const ShellRun& run, Details& details, Outcome& outcome) {
  details.stdout_text = visible(run.stdout_ends().text());
  details.stderr_text = visible(run.stderr_ends().text());
  details.left_running = run.left_running();
  switch (run.state()) {
    case ShellRun::State::kExited:
      details.exit_code = run.code();
      if (run.code() != 0 || run.output().empty())
        outcome.remark = (run.output().empty() ? "no output, " : "") + ("exit code " + std::to_string(run.code()));
      if (run.code() != 0) outcome.status = Status::kError;
      return;
    case ShellRun::State::kSignaled:
      details.signal = signal_name(run.code());
      outcome.remark = "ended by " + details.signal;
      break;
    default: outcome.remark = "ended without a report";
  }
  outcome.status = Status::kError;
}

}  // namespace magi::toolbox
