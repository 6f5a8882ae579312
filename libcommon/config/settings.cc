#include "libcommon/config/settings.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/nearest.h"
#include "libcommon/config/document.h"
#include "libcommon/config/keys.h"
#include "libcommon/config/layers.h"
#include "libcommon/config/secrets.h"

namespace magi::config {
namespace {

bool matches(const std::vector<std::string_view>& pattern, const KeyPath& path) {
  for (std::size_t i = 0; i < path.size(); ++i)
    if (pattern[i] != "*" && pattern[i] != path[i]) return false;
  return true;
}

// One document applied to the settings, member by member.
class Applier {
 public:
  // `trusted`: the user has trusted what this project asks for.
  Applier(Settings& settings, Source source, std::string where, bool trusted = false)
      : settings_(settings), source_(source), where_(std::move(where)), trusted_(trusted) {
    for (const Key& key : keys()) patterns_.emplace_back(&key, split(key.path, '.'));
  }

  Result<void> apply(const json::Value& document) {
    if (!document.is_object()) return refuse("must be an object: { ... }");
    if (const std::string secret = secret_in(document); !secret.empty()) return refuse(secret);
    KeyPath path;
    return walk(document, path);
  }

 private:
  Error refuse(std::string_view why) const { return make_error(ErrorCode::kConfig, where_, ": ", why); }
  Error refuse(const KeyPath& path, std::string_view why) const {
    return refuse(print_key_path(path) + ": " + std::string(why));
  }
  void warn(const KeyPath& path, std::string_view why) {
    settings_.warnings.push_back("warning: " + where_ + ": " + print_key_path(path) + ": " + std::string(why));
  }

  Result<void> walk(const json::Value& value, KeyPath& path) {
    bool is_group = path.empty();
    for (const auto& [key, pattern] : patterns_) {
      if (pattern.size() < path.size() || !matches(pattern, path)) continue;
      if (pattern.size() == path.size()) return leaf(*key, pattern, value, path);
      is_group = true;
    }
    if (!is_group) return unknown(path);
    const json::Object* const object = value.if_object();
    if (!object) return refuse(path, "must be an object: { ... }");
    for (const auto& [name, member] : *object) {
      path.emplace_back(name);
      MAGI_CHECK(walk(member, path));
      path.pop_back();
    }
    return {};
  }

  Result<void> leaf(const Key& key, const std::vector<std::string_view>& pattern, const json::Value& value,
                    const KeyPath& path) {
    if (key.scope == Scope::kUser && source_ == Source::kProject) {
      warn(path, "only your own settings can set this; ignored");
      return {};
    }
    if (key.scope == Scope::kTrusted && source_ == Source::kProject && !trusted_) {
      if (!settings_.trust) settings_.trust.emplace();
      settings_.trust->entries.push_back(print_key_path(path) + " = " + json::print(value));
      return {};
    }
    Names names;
    for (std::size_t i = 0; i < path.size(); ++i)
      if (pattern[i] == "*") names.push_back(path[i]);
    std::string why = check_names(key, names);
    if (why.empty()) why = check_value(key, value);
    if (!why.empty()) return refuse(path, why);
    key.store(settings_, names, value);
    settings_.sources[print_key_path(path)] = source_;
    return {};
  }

  // On the command line an unknown name is a mistake; in a file it may be a newer version's.
  Result<void> unknown(const KeyPath& path) {
    const std::string_view meant = neighbour(path);
    std::string why = "unknown setting";
    if (!meant.empty()) why += " (did you mean " + std::string(meant) + "?)";
    if (source_ == Source::kCommandLine) return refuse(path, why);
    warn(path, why + "; ignored");
    return {};
  }

  std::string_view neighbour(const KeyPath& path) const {
    std::vector<std::string_view> siblings;
    KeyPath parent = path;
    parent.pop_back();
    for (const auto& [key, pattern] : patterns_)
      if (pattern.size() > parent.size() && matches(pattern, parent)) siblings.push_back(pattern[parent.size()]);
    return nearest(path.back(), siblings);
  }

  Settings& settings_;
  Source source_;
  std::string where_;
  bool trusted_;
  std::vector<std::pair<const Key*, std::vector<std::string_view>>> patterns_;
};

// Checked as a whole after each layer, so that the message names the file that broke a rule.
Result<void> check_layer(const Settings& settings, const std::string& where) {
  const std::string why = check_together(settings);
  return why.empty() ? Result<void>() : make_error(ErrorCode::kConfig, where, ": ", why);
}

}  // namespace

Result<void> apply_layer(Settings& settings, Source source, const std::string& where, const json::Value& value) {
  MAGI_CHECK(Applier(settings, source, where).apply(value));
  return check_layer(settings, where);
}

namespace {

Result<void> apply_file(Settings& settings, const Document& document, Source source) {
  if (!document.empty) return apply_layer(settings, source, document.path, document.value);
  settings.warnings.push_back("warning: " + document.path + ": empty file, counts as no settings");
  return {};
}

// Text as it stands for a key that holds text; otherwise JSON, and text where it is none, for the check to refuse.
json::Value value_of_text(const KeyPath& path, std::string_view text) {
  bool is_text = false;
  for (const Key& key : keys()) {
    const auto pattern = split(key.path, '.');
    if (pattern.size() == path.size() && matches(pattern, path)) is_text = key.kind == Kind::kText;
  }
  if (!is_text || text.starts_with('"'))
    if (auto parsed = json::parse_value(text)) return *std::move(parsed);
  return json::Value(text);
}

// {"a":{"b":value}} for a.b
json::Value nested(const KeyPath& path, json::Value value) {
  for (auto segment = path.rbegin(); segment != path.rend(); ++segment) {
    json::Object object;
    object.emplace(*segment, std::move(value));
    value = std::move(object);
  }
  return value;
}

Result<void> apply_overlay(Settings& settings, std::string_view assignment) {
  // A name in brackets may hold '='.
  std::size_t equals = assignment.find('=');
  if (const std::size_t close = assignment.rfind("\"]", equals);
      assignment.find("[\"") < equals && close == std::string_view::npos)
    equals = assignment.find('=', assignment.find("\"]"));
  if (equals == std::string_view::npos || equals == 0)
    return make_error(ErrorCode::kUsage, "--set: ", quoted(assignment), " is not KEY=VALUE");
  auto path = parse_key_path(assignment.substr(0, equals));
  if (!path) return make_error(ErrorCode::kUsage, "--set: ", path.error().what);
  return Applier(settings, Source::kCommandLine, "--set")
      .apply(nested(*path, value_of_text(*path, assignment.substr(equals + 1))));
}

// What the project asks for that needs trust has been left out so far: it is applied now, or said to be dropped.
Result<void> settle_trust(Settings& settings, const SettingsFiles& files, const Document& project) {
  TrustQuestion& question = *settings.trust;
  question.file = project.path;
  MAGI_CHECK(settle_question(files.global, files.working_directory, question));
  if (!question.trusted) {
    settings.warnings.push_back("warning: " + project.path + ": " + std::to_string(question.entries.size()) +
                                " entries that run code or widen permissions are ignored until you have trusted them: "
                                "see magi-code trust --show");
    return {};
  }
  Settings scratch = settings;
  MAGI_CHECK(Applier(scratch, Source::kProject, project.path, true).apply(project.value));
  scratch.warnings = std::move(settings.warnings);
  settings = std::move(scratch);
  return check_layer(settings, project.path);
}

std::string check_provider(const Settings& settings, std::string_view key, const std::string& id) {
  if (id.empty() || is_builtin_provider(id) || settings.providers.count(id)) return {};
  return std::string(key) + ": " + quoted(id) + " is neither a built-in provider nor one defined under providers";
}

}  // namespace

Result<void> put(json::Value& document, const KeyPath& path, const json::Value* value, const std::string& where) {
  json::Value* group = &document;
  for (std::size_t i = 0;; ++i) {
    json::Object* const object = group->if_object();
    if (!object) {
      const std::string at = print_key_path(KeyPath(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i)));
      return make_error(ErrorCode::kConfig, where, at.empty() ? "" : ": ", at, ": must be an object: { ... }");
    }
    if (i == 0) object->emplace("schema_version", kSchemaVersion);
    if (i + 1 < path.size()) {
      group = &object->emplace(path[i], json::Object()).first->value();
      continue;
    }
    if (value)
      object->insert_or_assign(path[i], *value);
    else if (const auto found = object->find(path[i]); found != object->end())
      object->stable_erase(found);
    return {};
  }
}

std::string check_together(const Settings& s) {
  const AutoCompactionSettings& automatic = s.compaction.automatic;
  if (automatic.enabled && !automatic.threshold_percent && !automatic.threshold_tokens)
    return "agent.compaction.auto.threshold_percent: must be 1 to 100, or agent.compaction.auto.threshold_tokens 1 or "
           "more, while agent.compaction.auto.enabled is true";
  const std::int64_t reserve = s.context.reserve_tokens;
  if (reserve >= s.context.max_tokens)
    return "agent.context.reserve_tokens: must be smaller than agent.context.max_tokens (" +
           std::to_string(s.context.max_tokens) + ")";
  for (const auto& [model, limits] : s.context.model_overrides)
    if (limits.reserve_tokens.value_or(reserve) >= limits.max_tokens.value_or(s.context.max_tokens))
      return print_key_path({"agent", "context", "model_overrides", model}) + ": reserve_tokens (" +
             std::to_string(limits.reserve_tokens.value_or(reserve)) + ") must be smaller than max_tokens (" +
             std::to_string(limits.max_tokens.value_or(s.context.max_tokens)) + ")";
  const CompactionSettings& compaction = s.compaction;
  if (!compaction.claude_subscription.allow_compaction &&
      (compaction.provider.empty() || compaction.model.empty() || compaction.provider == "claude-subscription"))
    return "agent.compaction.claude_subscription.allow_compaction: false needs agent.compaction.provider and "
           "agent.compaction.model of another provider";
  for (const auto& [id, provider] : s.providers) {
    const std::string at = print_key_path({"providers", id});
    if (is_builtin_provider(id) && !provider.api.empty()) return at + ".api: is fixed for a built-in provider";
    if (!is_builtin_provider(id) && provider.base_url.empty()) return at + ".base_url: is missing";
  }
  for (const auto& [name, server] : s.mcp_servers) {
    const std::string at = print_key_path({"mcp_servers", name});
    if (server.command.empty() == server.url.empty()) return at + ": needs either command or url";
    if (server.command.empty() && !(server.args.empty() && server.env.empty()))
      return at + ": args and env go with command";
    if (server.url.empty() && !server.headers.empty()) return at + ".headers: goes with url";
  }
  for (const auto& [name, hook] : s.hooks) {
    const std::string at = print_key_path({"hooks", name});
    if (hook.event.empty()) return at + ".event: is missing";
    if (hook.command.empty() == hook.argv.empty()) return at + ": needs either command or argv";
    if (!hook.tools.empty() && !hook.event.ends_with("_tool"))
      return at + ".tools: goes with before_tool and after_tool";
  }
  for (const auto& [key, id] : {std::pair<std::string_view, const std::string&>{"provider", s.provider},
                                {"agent.compaction.provider", compaction.provider},
                                {"title.provider", s.title.provider}})
    if (std::string why = check_provider(s, key, id); !why.empty()) return why;
  return {};
}

std::string_view source_name(Source source) {
  switch (source) {
    case Source::kDefault: return "default";
    case Source::kGlobal: return "settings";
    case Source::kProject: return "project settings";
    case Source::kCommandLine: return "--set";
  }
  return "default";
}

Source Settings::source_of(std::string_view key) const {
  const auto found = sources.find(key);
  return found == sources.end() ? Source::kDefault : found->second;
}

Result<Settings> load_settings(const SettingsFiles& files) {
  Settings settings;
  MAGI_TRY(const auto global, read_document(files.global, Owner::kUser));
  if (global) MAGI_CHECK(apply_file(settings, *global, Source::kGlobal));
  if (!files.working_directory.empty()) {
    MAGI_TRY(const auto project, read_document(files.working_directory + "/.magi-code/settings.json", Owner::kAnyone));
    // In the home directory itself both paths name one file.
    const bool same = project && global && project->device == global->device && project->inode == global->inode;
    if (project && !same) MAGI_CHECK(apply_file(settings, *project, Source::kProject));
    if (settings.trust) MAGI_CHECK(settle_trust(settings, files, *project));
  }
  for (const std::string& assignment : files.overlay) MAGI_CHECK(apply_overlay(settings, assignment));
  if (!files.overlay.empty()) MAGI_CHECK(check_layer(settings, "--set"));
  return settings;
}

Result<void> change_setting(const std::string& global_file, std::string_view key, std::string_view value_json) {
  MAGI_TRY(const KeyPath path, parse_key_path(key));
  const json::Value value = value_of_text(path, value_json);
  Settings outcome;
  if (!value_json.empty()) MAGI_CHECK(Applier(outcome, Source::kCommandLine, global_file).apply(nested(path, value)));
  MAGI_TRY(const auto existing, read_document(global_file, Owner::kUser));
  json::Value document = existing && !existing->empty ? existing->value : json::Value(json::Object());
  MAGI_CHECK(put(document, path, value_json.empty() ? nullptr : &value, global_file));
  MAGI_CHECK(apply_layer(outcome = Settings(), Source::kGlobal, global_file, document));
  return write_document(global_file, document);
}

}  // namespace magi::config
