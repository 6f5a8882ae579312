#include "tools/magi-code/command/other_tools.h"

#include <unistd.h>

#include "libcommon/os/child.h"

namespace magi::code {
namespace {

Result<os::SpawnOptions> spawn_options(const Setting& setting, std::string_view program,
                                       std::vector<std::string> arguments) {
  os::SpawnOptions options;
  MAGI_TRY(options.program, setting.tool_path().find(program));
  options.args = {"--home", setting.home.root()};
  options.args.insert(options.args.end(), arguments.begin(), arguments.end());
  options.env = setting.environment_without_keys();
  options.cwd = setting.cwd;
  return options;
}

}  // namespace

Result<int> run_tool(const Setting& setting, std::string_view program, std::vector<std::string> arguments,
                     bool with_keys) {
  MAGI_TRY(os::SpawnOptions options, spawn_options(setting, program, std::move(arguments)));
  if (with_keys) options.env = setting.environment.entries();
  options.stdin_fd = STDIN_FILENO;
  options.stdout_fd = STDOUT_FILENO;
  options.stderr_fd = STDERR_FILENO;
  MAGI_TRY(os::Child child, os::spawn(options));
  MAGI_TRY(const int status, child.wait());
  return os::exit_code_of(status);
}

void start_cleanup(const Setting& setting) {
  if (!setting.settings.sessions.retention_days) return;
  Result<os::SpawnOptions> options = spawn_options(setting, "magi-prune", {"--background"});
  if (!options) return;
  options->new_group = true;  // an interrupt at the terminal is not meant for it
  if (Result<os::Child> child = os::spawn(*options)) static_cast<void>(child->release());
}

}  // namespace magi::code
