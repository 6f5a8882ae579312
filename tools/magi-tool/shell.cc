#include "tools/magi-tool/shell.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "libcommon/os/process_tree.h"
#include "tools/magi-tool/shell_environment.h"

namespace magi::toolbox {
namespace {

constexpr std::chrono::milliseconds kGrace{2'000};  // between SIGTERM and SIGKILL
constexpr std::chrono::milliseconds kDeath{3'000};  // how long the killed are waited for
constexpr std::size_t kMostJobs = 32;
constexpr std::string_view kConfine = "magi-confine";
constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

std::string own_folder() {
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string_view whole(path.data(), static_cast<std::size_t>(length));
  return std::string(whole.substr(0, whole.find_last_of('/')));
}

// "landlock 7\nwrites confined\n..." as one line.
std::string in_force(std::string_view report) {
  std::string text;
  while (!report.empty()) {
    const std::size_t end = std::min(report.find('\n'), report.size());
    if (end > 0) text.append(text.empty() ? "" : ", ").append(report.substr(0, end));
    report.remove_prefix(std::min(end + 1, report.size()));
  }
  return text;
}

}  // namespace

Shell::~Shell() {
  std::vector<std::shared_ptr<ShellRun>> alive;
  for (const auto& weak : runs_)
    if (auto run = weak.lock()) alive.push_back(std::move(run));
  for (const auto& run : alive) run->kill();
  loop_.run_until([&] { return std::all_of(alive.begin(), alive.end(), [](const auto& run) { return run->gone(); }); },
                  EventLoop::Clock::now() + kDeath);
  end_strays();
}

Result<std::string> Shell::confine_program() {
  if (!confine_.empty()) return confine_;
  const std::string own = own_folder();
  const std::string path = std::string(environment_.get_or("MAGI_TOOL_PATH", "")) + ':' + own + ':' + own +
                           "/../libexec/magi-code:" + std::string(environment_.get_or("PATH", kUsualPath));
  Result<std::string> found = os::find_executable(kConfine, path);
  if (!found)
    return make_error(ErrorCode::kNotFound,
                      "no magi-confine beside magi-tool, in MAGI_TOOL_PATH or in PATH: no command can be run");
  confine_ = *std::move(found);
  return confine_;
}

const std::string& Shell::private_tmp() {
  if (!tmp_) tmp_ = PrivateTmp::create({std::string(environment_.get_or("TMPDIR", "/tmp")), "/tmp", "/var/tmp"});
  return tmp_->path();
}

std::vector<std::string> Shell::confine_options(const Workspace& workspace) {
  std::vector<std::string> options;
  const auto add = [&](std::string_view name, std::string value) {
    options.emplace_back(name);
    options.push_back(std::move(value));
  };
  if (settings_.writes_root)
    for (std::string& folder : workspace.folders()) add("--write", std::move(folder));
  // Something must be named for writes to be confined at all.
  add("--write", private_tmp().empty() ? "/dev/null" : private_tmp());
  for (const std::string& path : workspace.hidden()) add("--hide", path);
  if (!settings_.network) options.emplace_back("--no-network");
  if (settings_.means != "auto") add("--means", settings_.means);
  return options;
}

Result<std::string> Shell::probe(const Workspace& workspace) {
  MAGI_TRY(const std::string program, confine_program());
  MAGI_TRY(os::Pipe out, os::make_pipe());
  MAGI_TRY(os::Pipe err, os::make_pipe());
  os::SpawnOptions spawn;
  spawn.program = program;
  spawn.args = confine_options(workspace);
  spawn.args.emplace_back("--probe");
  spawn.env = {"PATH=" + std::string(environment_.get_or("PATH", kUsualPath))};
  spawn.stdout_fd = out.write.get();
  spawn.stderr_fd = err.write.get();
  MAGI_TRY(os::Child child, os::spawn(spawn));
  out.write.reset();
  err.write.reset();
  MAGI_TRY(const std::string report, os::read_all(out.read.get(), 64 * 1024));
  MAGI_TRY(std::string why, os::read_all(err.read.get(), 64 * 1024));
  MAGI_TRY(const int status, child.wait());
  if (status == 0) return in_force(report);
  while (why.ends_with('\n')) why.pop_back();
  if (why.starts_with("magi-confine: ")) why.erase(0, 14);
  return make_error(ErrorCode::kDenied, why.empty() ? "magi-confine failed" : why);
}

const Result<std::string>& Shell::confinable(const Workspace& workspace) {
  if (!confinable_) confinable_ = probe(workspace);
  return *confinable_;
}

Result<std::shared_ptr<ShellRun>> Shell::start(const Workspace& workspace, const std::string& command, bool confine) {
  ShellLaunch launch;
  MAGI_TRY(launch.confine, confine_program());
  // Should magi-confine be killed, what it watched over comes to us.
  MAGI_CHECK(os::become_subreaper());
  if (confine) launch.options = confine_options(workspace);
  const std::string path = std::string(environment_.get_or("PATH", "")) + ':' + std::string(kUsualPath);
  Result<std::string> shell = os::find_executable("bash", path);
  if (!shell) shell = os::find_executable("sh", path);
  if (!shell) return shell.error();
  launch.command = {*shell, "-c", command};
  launch.environment = shell_environment(environment_, settings_.removed, confine ? private_tmp() : std::string());
  launch.folder = workspace.root();
  MAGI_TRY(std::shared_ptr<ShellRun> run, ShellRun::start(loop_, launch));
  std::erase_if(runs_, [](const auto& weak) { return weak.expired(); });
  runs_.push_back(run);
  return run;
}

void Shell::stop(ShellRun& run) {
  run.kill();
  loop_.run_until([&] { return run.gone(); }, EventLoop::Clock::now() + kDeath);
  if (run.state() == ShellRun::State::kLost) end_strays();
}

void Shell::end_strays() {
  std::vector<pid_t> keep;
  for (const auto& weak : runs_)
    if (const auto run = weak.lock(); run && !run->gone()) keep.push_back(run->supervisor());
  os::kill_descendants(static_cast<int>(kDeath.count()), keep);
}

Result<Job*> Shell::add_job(std::shared_ptr<ShellRun> run, std::string command, std::int64_t timeout_ms) {
  const auto running = std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return !job->run->ended(); });
  if (static_cast<std::size_t>(running) >= kMostJobs) {
    stop(*run);
    return make_error(ErrorCode::kLimit, std::to_string(kMostJobs), " jobs run already: stop one first");
  }
  auto job = std::make_unique<Job>(Job{"j" + std::to_string(jobs_.size() + 1), std::move(command), std::move(run)});
  Job* const added = job.get();
  jobs_.push_back(std::move(job));
  if (timeout_ms == 0) return added;
  // Jobs live as long as the shell, and the loop's handlers end before it.
  loop_.after(std::chrono::milliseconds(timeout_ms), [this, added] {
    if (added->run->ended()) return;
    added->timed_out = true;
    added->run->terminate();
    loop_.after(kGrace, [added] { added->run->kill(); });
  });
  return added;
}

Job* Shell::find_job(std::string_view id) {
  for (const auto& job : jobs_)
    if (job->id == id) return job.get();
  return nullptr;
}

}  // namespace magi::toolbox
