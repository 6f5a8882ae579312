// One function for each thing that panels show, for load.cc.  They block on the disk.
#pragma once

#include <string>

#include "tools/magi-code/tui/load/load.h"

namespace magi::code::tui {

Result<PanelData> load_sessions(const Source& source);
Result<PanelData> load_session_preview(const Source& source, const std::string& id);
Result<PanelData> load_models(const Source& source);
Result<PanelData> load_rewind_points(const Source& source);
// `key`: the ID of a prompt's or rewind's event, with "!" behind it where conflicts are taken back too.
Result<PanelData> load_rewind_plan(const Source& source, std::string key);
Result<PanelData> load_changes(const Source& source);
Result<PanelData> load_diff(const Source& source);
Result<std::vector<ReviewComment>> load_comments(const Source& source);
Result<PanelData> load_settings_rows(const Source& source);
Result<PanelData> load_activities(const Source& source);
Result<PanelData> load_files(const Source& source);
Result<PanelData> load_usage(const Source& source);
Result<PanelData> load_context(const Source& source);
Result<PanelData> load_doctor(const Source& source);

// The settings that are in force for the source.
Result<config::Settings> settings_of(const Source& source);

}  // namespace magi::code::tui
