#include "tools/magi-code/tui/load/load.h"

#include "tools/magi-code/tui/load/child_text.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

Result<PanelData> load_data(const Source& source, const Load& wish) {
  const std::string_view panel = wish.panel;
  if (panel == "sessions") return wish.key.empty() ? load_sessions(source) : load_session_preview(source, wish.key);
  if (panel == "model") return load_models(source);
  if (panel == "rewind") return wish.key.empty() ? load_rewind_points(source) : load_rewind_plan(source, wish.key);
  if (panel == "changes") return load_changes(source);
  if (panel == "diff") return load_diff(source);
  if (panel == "settings") return load_settings_rows(source);
  if (panel == "activities") return load_activities(source);
  if (panel == "files") return load_files(source);
  if (panel == "usage") return load_usage(source);
  if (panel == "context") return load_context(source);
  if (panel == "doctor") return load_doctor(source);
  if (panel == "system-prompt") return PanelData(TextData{{}, source.system_prompt});
  return make_error(ErrorCode::kUsage, "nothing is known of ", quoted(wish.panel));
}

}  // namespace

// Our own program judges keys too, so it is given them.
Result<PanelData> load_doctor(const Source& source) {
  constexpr int kTimeoutMs = 30'000;
  constexpr std::size_t kMostBytes = 1u << 20;
  os::SpawnOptions options;
  options.program = source.magi_code;
  options.args = {"--home", source.home.root(), "doctor"};
  options.env = source.environment.entries();
  options.cwd = source.cwd;
  if (options.program.empty()) return make_error(ErrorCode::kNotFound, "magi-code is not found beside this program");
  MAGI_TRY(ChildText report, text_of_child(std::move(options), kMostBytes, kTimeoutMs));
  return PanelData(TextData{{}, std::move(report.text)});
}

Loaded load(const Source& source, const Load& wish) { return {wish.panel, wish.key, load_data(source, wish)}; }

}  // namespace magi::code::tui
