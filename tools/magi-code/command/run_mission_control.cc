#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/tui/app/interface.h"

namespace magi::code {

Result<int> run_mission_control(const Setting& setting) {
  MAGI_TRY(const std::unique_ptr<tui::Interface> interface, tui::Interface::open(setting));
  return interface->run();
}

}  // namespace magi::code
