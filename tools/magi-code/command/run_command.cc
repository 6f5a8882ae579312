#include "libcommon/tool/report.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/other_tools.h"
#include "tools/magi-code/command/sessions.h"

namespace magi::code {

Result<int> run_command(const Setting& setting) {
  using Command = Options::Command;
  switch (setting.options.command) {
    case Command::kRequest: return print_request(setting);
    case Command::kSessions: return run_sessions(setting);
    case Command::kChanges: return list_changes(setting);
    case Command::kRewind: return rewind_session(setting);
    case Command::kModels: return list_models(setting);
    case Command::kDemo: return run_demo(setting);
    case Command::kDoctor: return run_doctor(setting);
    case Command::kTrust: return run_trust(setting);
    default: break;
  }
  if (!setting.options.control && !setting.options.print) return run_mission_control(setting);
  start_cleanup(setting);
  for (const std::string& warning : setting.settings.warnings) tool::notice("magi-code", warning);
  return setting.options.control ? run_control(setting) : run_once(setting);
}

}  // namespace magi::code
