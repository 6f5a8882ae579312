#include "tools/magi-confine/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>

#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "libcommon/os/process_tree.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-confine/broker.h"
#include "tools/magi-confine/landlock.h"

namespace magi::confine {
namespace {

constexpr int kKillPatienceMs = 10'000;
constexpr char kTerminate = 'T';

void say(int status_fd, const std::string& line) {
  // The reader may be gone; its end of the host descriptor tells us that.
  if (status_fd >= 0) (void)os::write_all(status_fd, line + '\n');
}

Result<os::Fd> catch_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  os::Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return errno_error("signalfd", errno);
  return fd;
}

// The command's output must end when the command's processes end, not when we do.
void let_go_of_output() {
  const os::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return;
  ::dup2(null.get(), STDOUT_FILENO);
  ::dup2(null.get(), STDERR_FILENO);
}

class Supervisor {
 public:
  Supervisor(const Options& options, os::Fd signals, pid_t command, Broker broker)
      : options_(options), signals_(std::move(signals)), command_(command), broker_(std::move(broker)) {}

  int run();

 private:
  void reap();
  void on_signals();
  void on_host();
  void stop(int exit_status) { stop_ = exit_status; }

  const Options& options_;
  os::Fd signals_;
  pid_t command_;
  Broker broker_;
  bool command_runs_ = true, has_children_ = true;
  int exit_status_ = 0;
  std::optional<int> stop_;  // kill everything and end with this
};

void Supervisor::reap() {
  int status = 0;
  pid_t ended;
  std::string report;
  while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != command_ || !command_runs_) continue;
    command_runs_ = false;
    exit_status_ = os::exit_code_of(status);
    report = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                 : "exit " + std::to_string(WEXITSTATUS(status));
  }
  has_children_ = !(ended < 0 && errno == ECHILD);
  if (!report.empty()) say(options_.status_fd, report + (has_children_ ? "\nleft" : ""));
  // Without a host nobody could want what is left behind.
  if (!command_runs_ && options_.host_fd < 0) stop(exit_status_);
}

void Supervisor::on_signals() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    if (info.ssi_signo != SIGCHLD) stop(128 + static_cast<int>(info.ssi_signo));
  reap();
}

void Supervisor::on_host() {
  std::array<char, 16> bytes;
  const ssize_t got = ::read(options_.host_fd, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return stop(command_runs_ ? kExitTerminated : exit_status_);
  for (ssize_t at = 0; at < got; ++at)
    if (bytes[static_cast<std::size_t>(at)] == kTerminate && command_runs_) ::kill(-command_, SIGTERM);
}

int Supervisor::run() {
  reap();  // it may have ended before its signal was caught
  while (has_children_ && !stop_) {
    std::array<pollfd, 3> ready{
        {{signals_.get(), POLLIN, 0}, {options_.host_fd, POLLIN, 0}, {broker_.fd(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) break;
    if (ready[1].revents != 0) on_host();
    if (ready[0].revents != 0) on_signals();
    if (ready[2].revents & POLLIN)
      broker_.serve();
    else if (ready[2].revents != 0)
      broker_.close();
  }
  if (command_runs_) ::kill(-command_, SIGKILL);
  // What still waits for the broker is woken by its end.
  broker_.close();
  os::kill_descendants(kKillPatienceMs);
  return stop_.value_or(exit_status_);
}

Result<Launched> start(const Options& options, const Result<Confinement>& confinement) {
  if (!confinement) return confinement.error();
  return launch(options, *confinement);
}

std::string probe_report(const Options& options, const Launched& launched, const Confinement& confinement) {
  const bool wrapped = !confinement.wrapper.argv.empty();
  const int abi = landlock_abi(options.landlock_limit);
  std::string text = wrapped ? "bubblewrap\n" : "landlock " + std::to_string(abi) + '\n';
  const auto line = [&](const char* what, bool asked, bool had, const char* how) {
    text += std::string(what) + ' ' + (!asked ? "open" : had ? how : "partly") + '\n';
  };
  line("writes", options.confines_files(), true, "confined");
  line("reads", !options.hide.empty(), true, "hidden");
  line("network", options.no_network, true, "cut");
  line("modes", options.confines_files(), wrapped || launched.listener, "confined");
  line("signals", options.confines_files(), wrapped || abi >= 6, "confined");
  return text;
}

}  // namespace

Result<int> probe(const Options& options) {
  Options nothing_to_run = options;
  nothing_to_run.command.clear();
  MAGI_TRY(const Confinement confinement, prepare(options));
  const bool wrapped = !confinement.wrapper.argv.empty();
  if (wrapped) nothing_to_run.command = {"true"};
  MAGI_TRY(const Launched launched, launch(nothing_to_run, confinement));
  int status = 0;
  while (::waitpid(launched.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (wrapped && status != 0)
    return make_error(ErrorCode::kDenied, "cannot confine: bubblewrap may not make namespaces here");
  tool::Stdout out;
  MAGI_CHECK(out.write(probe_report(options, launched, confinement)));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

Result<int> supervise(const Options& options) {
  MAGI_CHECK(os::become_subreaper());
  MAGI_TRY(os::Fd signals, catch_signals());
  for (const int fd : {options.status_fd, options.host_fd})
    if (fd >= 0) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  Result<Confinement> confinement = prepare(options);
  Result<Launched> launched = start(options, confinement);
  if (!launched) {
    const bool refused = launched.error().code == ErrorCode::kDenied;
    say(options.status_fd, (refused ? "refused " : "failed ") + launched.error().what);
    return launched.error();
  }
  say(options.status_fd, "started " + std::to_string(launched->pid));
  if (options.host_fd >= 0) let_go_of_output();
  Supervisor supervisor(options, std::move(signals), launched->pid,
                        Broker(std::move(launched->listener), std::move(confinement->writable)));
  return supervisor.run();
}

}  // namespace magi::confine
