#include <unistd.h>

#include "libcommon/os/child.h"
#include "tools/magi-code/command/commands.h"

namespace magi::code {

// magi-provider alone knows keys, logins and wire formats; its list is ours.
Result<int> list_models(const Setting& setting) {
  const Options& o = setting.options;
  os::SpawnOptions options;
  MAGI_TRY(options.program, setting.tool_path().find("magi-provider"));
  options.args = {"--home", setting.home.root(), "--list-models"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) options.args.insert(options.args.end(), {option, value});
  };
  add("--provider", o.provider);
  add("--base-url", o.base_url);
  for (const std::string& entry : o.overlay) add("--set", entry);
  options.env = setting.environment.entries();
  options.cwd = setting.cwd;
  options.stdout_fd = STDOUT_FILENO;
  options.stderr_fd = STDERR_FILENO;
  MAGI_TRY(os::Child child, os::spawn(options));
  MAGI_TRY(const int status, child.wait());
  return os::exit_code_of(status);
}

}  // namespace magi::code
