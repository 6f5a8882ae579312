// Commands of a session: how they are confined, their private folder for temporary files, and those in the background.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/config/environment.h"
#include "tools/magi-tool/event_loop.h"
#include "tools/magi-tool/private_tmp.h"
#include "tools/magi-tool/shell_run.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

struct ShellSettings {
  bool network = false;               // confined commands may use the network
  std::string means = "auto";         // what confines: "auto", "landlock", "bubblewrap"
  bool writes_root = true;            // confined commands may write the workspace, not only temporary files
  std::vector<std::string> removed;   // variables kept from commands, besides the usual ones
  std::int64_t timeout_ms = 120'000;  // of a command that asks for none
};

struct Job {
  std::string id, command;
  std::shared_ptr<ShellRun> run;
  bool timed_out = false, stopped = false;
};

class Shell {
 public:
  Shell(EventLoop& loop, const config::Environment& environment, ShellSettings settings)
      : loop_(loop), environment_(environment), settings_(std::move(settings)) {}
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;
  // Kills and waits for everything that still runs.
  ~Shell();

  const ShellSettings& settings() const { return settings_; }

  // Asked once: what confines commands here, for people; kDenied with the reason where nothing does.
  const Result<std::string>& confinable(const Workspace& workspace);

  // Starts `command` in the root.
  Result<std::shared_ptr<ShellRun>> start(const Workspace& workspace, const std::string& command, bool confine);

  // Ends a run with all that it started, and waits until it has (at most some seconds).
  void stop(ShellRun& run);

  // kLimit: too many run already.  `timeout_ms` 0: no limit.
  Result<Job*> add_job(std::shared_ptr<ShellRun> run, std::string command, std::int64_t timeout_ms);
  Job* find_job(std::string_view id);
  const std::vector<std::unique_ptr<Job>>& jobs() const { return jobs_; }

 private:
  Result<std::string> confine_program();
  std::vector<std::string> confine_options(const Workspace& workspace);
  Result<std::string> probe(const Workspace& workspace);
  const std::string& private_tmp();
  // What a killed magi-confine left behind has become ours.
  void end_strays();

  EventLoop& loop_;
  const config::Environment& environment_;
  ShellSettings settings_;
  std::string confine_;
  std::optional<Result<std::string>> confinable_;
  std::optional<PrivateTmp> tmp_;
  std::vector<std::weak_ptr<ShellRun>> runs_;
  std::vector<std::unique_ptr<Job>> jobs_;
};

}  // namespace magi::toolbox
