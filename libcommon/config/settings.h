// Settings: $MC_HOME/settings.json, overridden by <cwd>/.magi-code/settings.json, overridden by --set.  Every key, its
// bounds, default and meaning stands once in keys.cc; magi-settings(5) describes them for people.
//
// A broken file stops the program (kConfig, with the file's name and line and column, or the key): nobody must work
// with settings other than they think.  An unknown key is a warning with its full path, since a newer version may know
// it. Project settings may not decide where keys are sent or what is deleted: those keys are ignored there, with a
// warning; what runs code or widens permissions waits there for the user's trust (trust.h).  Secrets are refused in
// every file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/config/trust.h"

namespace magi::config {

inline constexpr std::int64_t kSchemaVersion = 2;

struct ModelOverride {
  std::optional<std::int64_t> max_tokens, reserve_tokens;
};

struct ContextSettings {  // K4, K5
  bool enabled = true;
  std::int64_t max_tokens = 128'000;
  std::int64_t reserve_tokens = 16'384;
  std::int64_t keep_recent_tokens = 20'000;
  std::map<std::string, ModelOverride> model_overrides;  // by "provider/model"
};

struct AutoCompactionSettings {  // A1; at least one threshold is set while enabled
  bool enabled = true;
  std::optional<std::int64_t> threshold_percent = 80;
  std::optional<std::int64_t> threshold_tokens;
  std::int64_t max_compactions_per_run = 4;  // 0: no cap
};

struct ClaudeSubscriptionSettings {  // K7
  bool allow_compaction = true;
  std::optional<std::int64_t> threshold_percent = 100;
  std::optional<std::int64_t> threshold_tokens = 202'000;
};

struct CompactionSettings {
  std::string provider, model;  // empty: the active ones (C1)
  AutoCompactionSettings automatic;
  ClaudeSubscriptionSettings claude_subscription;
};

struct ProviderSettings {
  std::string api;          // "responses", "messages", "chat"; empty: the provider's own, "chat" for a new name
  std::string base_url;     // http or https, without user, password or trailing slash
  std::string api_key_env;  // the variable that holds the key; empty: the provider's own, none for a new name
  std::string model;        // default model
  std::map<std::string, std::string> headers;
};

struct AccountSettings {  // empty: what this version knows
  std::string issuer;     // of logins; refresh tokens are sent there
  std::string client_id;
};

struct PermissionSettings {
  std::string mode = "workspace";
  bool network = false;              // commands may use the network
  std::vector<std::string> allow;    // rules of what is never asked for, magi-settings(5)
  std::string confinement = "auto";  // "landlock", "bubblewrap"
};

// A program that is told of what happens, and may refuse calls (magi-settings(5)).
struct HookSettings {
  std::string event;               // "before_tool", "after_tool", "after_message", "session_start", "session_end"
  std::string command;             // a command of bash, or
  std::vector<std::string> argv;   // a program with its arguments
  std::vector<std::string> tools;  // names of tools with '*'; empty: all
  std::int64_t timeout_ms = 30'000;
  bool blocking = true, enabled = true;  // blocking: a before_tool hook that fails refuses the call
};

struct SessionSettings {
  std::optional<std::int64_t> retention_days;
};

struct ProtectionSettings {  // R8, L8
  std::string policy = "warn";
  std::string tools = "web,mcp,bash,outside";  // whose results are assessed, see magi-settings(5)
  std::string assessor;                        // a shell command in place of magi-assess; empty: that
};

// A server of tools: a program (`command`) or an address (`url`).  ${NAME} in the values of `env` and `headers` is not
// expanded here.
struct McpServerSettings {
  std::string command, url;
  std::vector<std::string> args;
  std::map<std::string, std::string> env, headers;
  bool enabled = true;
  std::int64_t timeout_ms = 60'000;
  std::vector<std::string> tools;  // empty: all
  bool allow_read_only = false;    // calls of tools that say they only read are not asked for in mode workspace
};

struct SkillSettings {
  bool enabled = true;
};

struct InterfaceSettings {
  std::string theme = "auto";  // by the terminal's background
  bool vi_keys = false, reduced_motion = false, notify = true, mouse = true;
};

struct TitleSettings {
  std::string provider, model;
};

enum class Source { kDefault, kGlobal, kProject, kCommandLine };
// "default", "settings", "project settings", "--set".
std::string_view source_name(Source source);

struct Settings {
  std::string provider, model;  // empty: not chosen
  ContextSettings context;
  CompactionSettings compaction;
  std::map<std::string, ProviderSettings> providers;
  std::map<std::string, McpServerSettings> mcp_servers;
  AccountSettings codex_account;
  PermissionSettings permissions;
  std::map<std::string, HookSettings> hooks;  // by name
  SessionSettings sessions;
  TitleSettings title;
  InterfaceSettings ui;
  ProtectionSettings protection;
  SkillSettings skills;

  // Where a key ("agent.context.max_tokens") got its value.
  Source source_of(std::string_view key) const;

  std::map<std::string, Source, std::less<>> sources;  // keys that were set
  std::vector<std::string> warnings;                   // complete lines for stderr, without the program's name
  std::optional<TrustQuestion> trust;                  // what the project asks for that needs the user's trust
};

struct SettingsFiles {
  std::string global;                // session::Home::settings()
  std::string working_directory;     // whose .magi-code/settings.json is read; empty: none
  std::vector<std::string> overlay;  // KEY=VALUE of each --set, in order
};

// Reads at most two files of at most 1 MiB each; a missing one is fine and costs one failed open.
Result<Settings> load_settings(const SettingsFiles& files);

// Provider IDs that need no definition in settings.
bool is_builtin_provider(std::string_view id);

// Sets one key of the global file, or removes it where `value_json` is empty, and replaces the file durably; unknown
// fields stay.  `value_json` is JSON text, or plain text for a key that holds text.  The file that would result is
// checked first: on any error nothing has changed.
Result<void> change_setting(const std::string& global_file, std::string_view key, std::string_view value_json);

}  // namespace magi::config
