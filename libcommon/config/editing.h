// Settings as rows to look at and change, for interfaces: both files with what the table of keys says of each key.
// Changes are checked by the same code that loads settings, and written whole or not at all; unknown fields stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::config {

enum class ValueKind { kBoolean, kInteger, kIntegerOrNull, kText, kChoice, kList };

struct EditableSetting {
  std::string key;  // as print_key_path() writes it
  ValueKind kind = ValueKind::kText;
  std::string_view meaning, standard;  // static storage; `standard` is JSON text
  std::int64_t least = 0, most = 0;
  std::vector<std::string_view> choices;
  bool only_user = false;       // a project cannot set it
  std::string global, project;  // JSON text; empty: not set there
};

struct EditableSettings {
  std::vector<EditableSetting> settings;  // in the order of the table; keys with names as often as there are names
  std::string global_path, project_path;
  std::string global_digest, project_digest;  // of what the files hold, for save_settings()
  std::vector<std::string> warnings;          // as load_settings() gives them
};

// Where both files are; a missing one is as good as empty.
struct EditedFiles {
  std::string global;             // session::Home::settings()
  std::string working_directory;  // of the project
};

// kConfig: a file that cannot be read or breaks a rule.
Result<EditableSettings> editable_settings(const EditedFiles& files);

struct SettingChange {
  std::string key, value_json;  // empty: unset
};
struct SettingRefusal {
  std::string key;  // empty: none alone
  std::string why;
};

// Nothing when all is written, durably.  A refusal when the file is not what `seen_digest` says any more, when a change
// breaks a rule, or when both files together do.  Errors: kConfig, kIo, ...; nothing has changed then either.
Result<std::optional<SettingRefusal>> save_settings(const EditedFiles& files, bool in_project,
                                                    const std::string& seen_digest,
                                                    const std::vector<SettingChange>& changes);

}  // namespace magi::config
