#include "tools/magi-code/tui/panel/panels.h"

#include "tools/magi-code/tui/panel/factories.h"

namespace magi::code::tui {

std::unique_ptr<Panel> make_panel(std::string_view name, std::string_view arguments, const PanelContext& context) {
  if (name == "sessions") return make_sessions_panel(arguments, context);
  if (name == "model") return make_model_panel(arguments, context);
  if (name == "rewind") return make_rewind_panel(context);
  if (name == "theme") return make_theme_panel(context);
  if (name == "settings") return make_settings_panel(arguments, context);
  if (name == "changes") return make_changes_panel();
  if (name == "diff") return make_diff_panel(context);
  if (name == "activities") return make_activities_panel(arguments);
  if (name == "files") return make_files_panel(arguments);
  if (name == "help") return make_help_panel(arguments);
  if (name == "usage") return make_usage_panel();
  if (name == "system-prompt") return make_loaded_text_panel(name, "System prompt");
  if (name == "context") return make_loaded_text_panel(name, "Context");
  if (name == "doctor") return make_loaded_text_panel(name, "Doctor");
  return nullptr;
}

}  // namespace magi::code::tui
