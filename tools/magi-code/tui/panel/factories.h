// One function a panel, for panels.cc.
#pragma once

#include <memory>
#include <string_view>

#include "tools/magi-code/tui/panel/panels.h"

namespace magi::code::tui {

using PanelPtr = std::unique_ptr<Panel>;

PanelPtr make_sessions_panel(std::string_view filter, const PanelContext& context);
PanelPtr make_model_panel(std::string_view filter, const PanelContext& context);
PanelPtr make_rewind_panel(const PanelContext& context);
PanelPtr make_theme_panel(const PanelContext& context);
PanelPtr make_settings_panel(std::string_view filter, const PanelContext& context);
PanelPtr make_changes_panel();
PanelPtr make_diff_panel(const PanelContext& context);
PanelPtr make_activities_panel(std::string_view filter);
PanelPtr make_files_panel(std::string_view filter);
PanelPtr make_help_panel(std::string_view search);
PanelPtr make_usage_panel();
// A text that load/ brings under the name of the panel.
PanelPtr make_loaded_text_panel(std::string_view name, std::string title);

}  // namespace magi::code::tui
