#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/other_tools.h"

namespace magi::code {

// magi-provider alone knows keys, logins and wire formats; its list is ours.
Result<int> list_models(const Setting& setting) {
  const Options& o = setting.options;
  std::vector<std::string> arguments = {"--list-models"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--provider", o.provider);
  add("--base-url", o.base_url);
  for (const std::string& entry : o.overlay) add("--set", entry);
  return run_tool(setting, "magi-provider", std::move(arguments), true);
}

}  // namespace magi::code
