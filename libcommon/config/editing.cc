#include "libcommon/config/editing.h"

#include <algorithm>

#include "libcommon/config/document.h"
#include "libcommon/config/keys.h"
#include "libcommon/config/layers.h"
#include "libcommon/digest/sha256.h"

namespace magi::config {
namespace {

// What stands in a file; an empty object where there is none.
struct Edited {
  std::string path;
  json::Value value = json::Object();
  bool exists = false;
  std::uint64_t device = 0, inode = 0;

  std::string digest() const { return exists ? sha256_hex(json::print(value)) : std::string(); }
};

struct Both {
  Edited global, project;
  // In the home directory itself both paths name one file.
  bool same() const {
    return global.exists && project.exists && global.device == project.device && global.inode == project.inode;
  }
};

Result<Edited> read_edited(std::string path, Owner owner) {
  Edited edited;
  edited.path = std::move(path);
  MAGI_TRY(auto document, read_document(edited.path, owner));
  if (!document) return edited;
  edited.exists = true;
  edited.device = document->device;
  edited.inode = document->inode;
  if (!document->empty) edited.value = std::move(document->value);
  return edited;
}

Result<Both> read_both(const EditedFiles& files) {
  Both both;
  MAGI_TRY(both.global, read_edited(files.global, Owner::kUser));
  MAGI_TRY(both.project, read_edited(files.working_directory + "/.magi-code/settings.json", Owner::kAnyone));
  return both;
}

Result<Settings> apply_both(const Both& both) {
  Settings settings;
  MAGI_CHECK(apply_layer(settings, Source::kGlobal, both.global.path, both.global.value));
  if (both.project.exists && !both.same())
    MAGI_CHECK(apply_layer(settings, Source::kProject, both.project.path, both.project.value));
  return settings;
}

ValueKind kind_of(const Key& key) {
  if (key.form == Form::kChoice) return ValueKind::kChoice;
  switch (key.kind) {
    case Kind::kBoolean: return ValueKind::kBoolean;
    case Kind::kInteger: return ValueKind::kInteger;
    case Kind::kIntegerOrNull: return ValueKind::kIntegerOrNull;
    case Kind::kText: return ValueKind::kText;
    case Kind::kTexts: return ValueKind::kList;
  }
  return ValueKind::kText;
}

const json::Value* find(const json::Value& document, const KeyPath& path) {
  const json::Value* at = &document;
  for (const std::string& name : path) {
    const json::Object* const object = at->if_object();
    at = object ? object->if_contains(name) : nullptr;
    if (!at) return nullptr;
  }
  return at;
}

std::string text_of(const json::Value& document, const KeyPath& path) {
  const json::Value* const value = find(document, path);
  return value ? json::print(*value) : std::string();
}

// The paths that a pattern stands for in either document.
void expand(const std::vector<std::string_view>& pattern, const Both& both, KeyPath& path, std::vector<KeyPath>& out) {
  if (path.size() == pattern.size()) return out.push_back(path);
  const std::string_view name = pattern[path.size()];
  std::vector<std::string> names;
  if (name != "*") names.emplace_back(name);
  for (const Edited* edited : {&both.global, &both.project}) {
    const json::Value* const group = name == "*" ? find(edited->value, path) : nullptr;
    const json::Object* const members = group ? group->if_object() : nullptr;
    if (!members) continue;
    for (const auto& member : *members)
      if (std::find(names.begin(), names.end(), member.key()) == names.end()) names.emplace_back(member.key());
  }
  for (std::string& each : names) {
    path.push_back(std::move(each));
    expand(pattern, both, path, out);
    path.pop_back();
  }
}

void append_rows(const Key& key, const Both& both, std::vector<EditableSetting>& rows) {
  std::vector<KeyPath> paths;
  KeyPath path;
  expand(split(key.path, '.'), both, path, paths);
  for (const KeyPath& each : paths) {
    EditableSetting row;
    row.key = print_key_path(each);
    row.kind = kind_of(key);
    row.meaning = key.meaning;
    row.standard = key.standard;
    row.least = key.least;
    row.most = key.most;
    row.choices = split(key.choices, '|');
    row.only_user = key.scope == Scope::kUser;
    row.global = text_of(both.global.value, each);
    row.project = both.same() ? std::string() : text_of(both.project.value, each);
    // Under a name, what is set says more than what could be.
    const bool is_set = !row.global.empty() || !row.project.empty();
    if (is_set || key.path.find('*') == std::string_view::npos) rows.push_back(std::move(row));
  }
}

// "<path>: <key>: <why>", as the checks say it.
SettingRefusal refusal_of(const Error& error, const std::string& where) {
  SettingRefusal refusal{{}, error.what};
  if (refusal.why.starts_with(where + ": ")) refusal.why.erase(0, where.size() + 2);
  const std::size_t colon = refusal.why.find(": ");
  if (colon == std::string::npos || refusal.why.find(' ') < colon) return refusal;
  refusal.key = refusal.why.substr(0, colon);
  refusal.why.erase(0, colon + 2);
  return refusal;
}

Result<void> change(Edited& edited, const std::vector<SettingChange>& changes) {
  for (const SettingChange& each : changes) {
    MAGI_TRY(const KeyPath path, parse_key_path(each.key));
    if (each.value_json.empty()) {
      if (find(edited.value, path)) MAGI_CHECK(put(edited.value, path, nullptr, edited.path));
      continue;
    }
    auto value = json::parse_value(each.value_json);
    if (!value) return make_error(ErrorCode::kConfig, edited.path, ": ", each.key, ": ", value.error().what);
    MAGI_CHECK(put(edited.value, path, &*value, edited.path));
  }
  return {};
}

// What is only warned of in a file, an unknown key or one that a project cannot set, is a mistake where someone adds
// it.
std::optional<SettingRefusal> useless_key(const Settings& settings, const std::string& path,
                                          const std::vector<SettingChange>& changes) {
  const std::string before = "warning: " + path + ": ";
  for (const std::string& warning : settings.warnings) {
    const std::size_t end = warning.find(": ", before.size());
    if (!warning.starts_with(before) || end == std::string::npos) continue;
    // The group that nobody knows may be any part of the key.
    const std::string_view key = std::string_view(warning).substr(before.size(), end - before.size());
    for (const SettingChange& each : changes) {
      const bool is_part = each.key.starts_with(key) && (each.key.size() == key.size() || each.key[key.size()] == '.' ||
                                                         each.key[key.size()] == '[');
      if (is_part && !each.value_json.empty()) return SettingRefusal{each.key, warning.substr(end + 2)};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<EditableSettings> editable_settings(const EditedFiles& files) {
  MAGI_TRY(const Both both, read_both(files));
  MAGI_TRY(Settings settings, apply_both(both));
  EditableSettings out;
  for (const Key& key : keys())
    if (!key.path.starts_with("$") && key.path != "schema_version") append_rows(key, both, out.settings);
  out.global_path = both.global.path;
  out.project_path = both.project.path;
  out.global_digest = both.global.digest();
  out.project_digest = both.project.digest();
  out.warnings = std::move(settings.warnings);
  return out;
}

Result<std::optional<SettingRefusal>> save_settings(const EditedFiles& files, bool in_project,
                                                    const std::string& seen_digest,
                                                    const std::vector<SettingChange>& changes) {
  MAGI_TRY(Both both, read_both(files));
  if (in_project && both.same()) in_project = false;
  Edited& edited = in_project ? both.project : both.global;
  if (edited.digest() != seen_digest)
    return std::optional(SettingRefusal{{}, "the file has changed since it was read; load it again, then save"});
  if (auto changed = change(edited, changes); !changed) return std::optional(refusal_of(changed.error(), edited.path));
  edited.exists = true;
  const auto outcome = apply_both(both);
  if (!outcome) {
    SettingRefusal refusal = refusal_of(outcome.error(), edited.path);
    const std::string& other = in_project ? both.global.path : both.project.path;
    if (outcome.error().what.starts_with(other + ": ")) {
      refusal = refusal_of(outcome.error(), other);
      refusal.why += " (in " + other + ")";
    }
    return std::optional(std::move(refusal));
  }
  if (auto useless = useless_key(*outcome, edited.path, changes)) return useless;
  MAGI_CHECK(write_document(edited.path, edited.value));
  return std::optional<SettingRefusal>();
}

}  // namespace magi::config
