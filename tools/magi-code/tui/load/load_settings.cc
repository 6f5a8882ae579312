// Settings as rows, and the saving of what was changed in them.
#include "libcommon/config/editing.h"
#include "tools/magi-code/tui/load/carry_out.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

using Kind = SettingRow::Kind;

Kind kind_of(config::ValueKind kind) {
  switch (kind) {
    case config::ValueKind::kBoolean: return Kind::kBoolean;
    case config::ValueKind::kInteger: return Kind::kInteger;
    case config::ValueKind::kIntegerOrNull: return Kind::kIntegerOrNull;
    case config::ValueKind::kText: return Kind::kText;
    case config::ValueKind::kChoice: return Kind::kChoice;
    case config::ValueKind::kList: return Kind::kOther;
  }
  return Kind::kOther;
}

config::EditedFiles files_of(const Source& source) { return {source.home.settings(), source.cwd}; }

Result<SettingsData> read_rows(const Source& source) {
  MAGI_TRY(config::EditableSettings settings, config::editable_settings(files_of(source)));
  SettingsData data;
  for (config::EditableSetting& setting : settings.settings) {
    SettingRow row;
    row.group = setting.key.substr(0, setting.key.find('.'));
    row.key = std::move(setting.key);
    row.kind = kind_of(setting.kind);
    row.meaning = setting.meaning;
    row.standard = setting.standard;
    row.least = setting.least;
    row.most = setting.most;
    row.choices.assign(setting.choices.begin(), setting.choices.end());
    row.only_global = setting.only_user;
    row.global = std::move(setting.global);
    row.project = std::move(setting.project);
    data.rows.push_back(std::move(row));
  }
  data.global_path = std::move(settings.global_path);
  data.project_path = std::move(settings.project_path);
  data.global_digest = std::move(settings.global_digest);
  data.project_digest = std::move(settings.project_digest);
  data.warnings = std::move(settings.warnings);
  return data;
}

Result<PanelData> save(const Source& source, const SaveSettings& wish) {
  std::vector<config::SettingChange> changes;
  for (const SettingEdit& edit : wish.edits) changes.push_back({edit.key, edit.value_json});
  MAGI_TRY(const auto refusal, config::save_settings(files_of(source), wish.scope == "project", wish.seen, changes));
  MAGI_TRY(SettingsData data, read_rows(source));
  if (refusal) {
    data.refused_key = refusal->key;
    data.refused_why = refusal->why;
  } else {
    data.saved_scope = wish.scope;
  }
  return PanelData(std::move(data));
}

}  // namespace

Result<PanelData> load_settings_rows(const Source& source) {
  MAGI_TRY(SettingsData data, read_rows(source));
  return PanelData(std::move(data));
}

Loaded carry_out(const Source& source, const SaveSettings& wish) { return {"settings", "save", save(source, wish)}; }

}  // namespace magi::code::tui
