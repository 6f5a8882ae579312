#include "libcommon/config/keys.h"

#include <algorithm>

#include "libcommon/config/provider_choice.h"

namespace magi::config {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

namespace {

using json::Value;

std::string text(const Value& value) { return std::string(std::string_view(value.get_string())); }
std::string url(const Value& value) {
  std::string_view out = value.get_string();
  while (out.ends_with('/')) out.remove_suffix(1);
  return std::string(out);
}
std::vector<std::string> texts(const Value& value) {
  std::vector<std::string> out;
  for (const Value& one : value.get_array()) out.push_back(text(one));
  return out;
}
std::optional<std::int64_t> number_or_null(const Value& value) {
  return value.is_null() ? std::nullopt : std::optional<std::int64_t>(value.get_int64());
}

// No provider counts tokens beyond this; it keeps products of the arithmetic on them inside 64 bits.
constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::int64_t kMostDays = 36'500;
constexpr std::size_t kLongestServerName = 32;  // half of what providers allow for the name of a tool

#define MAGI_STORE(statement) \
  [](Settings& s, [[maybe_unused]] const Names& names, [[maybe_unused]] const Value& v) { statement; }

constexpr Key kKeys[] = {
    {"$schema", Kind::kText, Scope::kProjectToo, MAGI_STORE((void)s), "", "Path of the JSON Schema, for editors."},
    {"schema_version", Kind::kInteger, Scope::kProjectToo, MAGI_STORE((void)s), "2", "Version of this file's format.",
     kSchemaVersion, kSchemaVersion},
    {"provider", Kind::kText, Scope::kProjectToo, MAGI_STORE(s.provider = text(v)), "",
     "Provider used without --provider.", 0, 0, Form::kProviderId},
    {"model", Kind::kText, Scope::kProjectToo, MAGI_STORE(s.model = text(v)), "", "Model used without --model."},

    {"agent.context.enabled", Kind::kBoolean, Scope::kProjectToo, MAGI_STORE(s.context.enabled = v.get_bool()), "true",
     "Check requests against the context window."},
    {"agent.context.max_tokens", Kind::kInteger, Scope::kProjectToo, MAGI_STORE(s.context.max_tokens = v.get_int64()),
     "128000", "Context window where neither the catalog nor an override knows better.", 1, kMostTokens},
    {"agent.context.reserve_tokens", Kind::kInteger, Scope::kProjectToo,
     MAGI_STORE(s.context.reserve_tokens = v.get_int64()), "16384", "Tokens kept free for the answer.", 0, kMostTokens},
    {"agent.context.keep_recent_tokens", Kind::kInteger, Scope::kProjectToo,
     MAGI_STORE(s.context.keep_recent_tokens = v.get_int64()), "20000", "Bound of recent text given to helpers.", 0,
     kMostTokens},
    {"agent.context.model_overrides.*.max_tokens", Kind::kIntegerOrNull, Scope::kProjectToo,
     MAGI_STORE(s.context.model_overrides[names[0]].max_tokens = number_or_null(v)), "null",
     "Context window of this \"provider/model\"; never above what the provider allows.", 1, kMostTokens},
    {"agent.context.model_overrides.*.reserve_tokens", Kind::kIntegerOrNull, Scope::kProjectToo,
     MAGI_STORE(s.context.model_overrides[names[0]].reserve_tokens = number_or_null(v)), "null",
     "Tokens kept free for the answer of this \"provider/model\".", 0, kMostTokens},

    {"agent.compaction.provider", Kind::kText, Scope::kProjectToo, MAGI_STORE(s.compaction.provider = text(v)), "\"\"",
     "Provider that writes summaries; with agent.compaction.model.", 0, 0, Form::kProviderId},
    {"agent.compaction.model", Kind::kText, Scope::kProjectToo, MAGI_STORE(s.compaction.model = text(v)), "\"\"",
     "Model that writes summaries; with agent.compaction.provider."},
    {"agent.compaction.auto.enabled", Kind::kBoolean, Scope::kProjectToo,
     MAGI_STORE(s.compaction.automatic.enabled = v.get_bool()), "true",
     "Compact by itself when a session grows large."},
    {"agent.compaction.auto.threshold_percent", Kind::kIntegerOrNull, Scope::kProjectToo,
     MAGI_STORE(s.compaction.automatic.threshold_percent = number_or_null(v)), "80",
     "Compact at this share of the context window.", 1, 100},
    {"agent.compaction.auto.threshold_tokens", Kind::kIntegerOrNull, Scope::kProjectToo,
     MAGI_STORE(s.compaction.automatic.threshold_tokens = number_or_null(v)), "null", "Compact at this many tokens.", 1,
     kMostTokens},
    {"agent.compaction.auto.max_compactions_per_run", Kind::kInteger, Scope::kProjectToo,
     MAGI_STORE(s.compaction.automatic.max_compactions_per_run = v.get_int64()), "4",
     "Most compactions in one run; 0 lifts the cap.", 0, 255},
    {"agent.compaction.claude_subscription.allow_compaction", Kind::kBoolean, Scope::kProjectToo,
     MAGI_STORE(s.compaction.claude_subscription.allow_compaction = v.get_bool()), "true",
     "Let claude-subscription write its own summaries; false needs another agent.compaction.provider."},
    {"agent.compaction.claude_subscription.threshold_percent", Kind::kIntegerOrNull, Scope::kProjectToo,
     MAGI_STORE(s.compaction.claude_subscription.threshold_percent = number_or_null(v)), "100",
     "Compact at this share of the claude-subscription input limit.", 1, 100},
    {"agent.compaction.claude_subscription.threshold_tokens", Kind::kIntegerOrNull, Scope::kProjectToo,
     MAGI_STORE(s.compaction.claude_subscription.threshold_tokens = number_or_null(v)), "202000",
     "Compact at this many tokens; capped at the claude-subscription input limit.", 1, kMostTokens},

    {"providers.*.api", Kind::kText, Scope::kUser, MAGI_STORE(s.providers[names[0]].api = text(v)), "\"chat\"",
     "Wire format of a provider defined here.", 0, 0, Form::kChoice, "responses|messages|chat"},
    {"providers.*.base_url", Kind::kText, Scope::kUser, MAGI_STORE(s.providers[names[0]].base_url = url(v)), "",
     "Where requests go; naming it is consent to send this provider's key there.", 0, 0, Form::kUrl},
    {"providers.*.api_key_env", Kind::kText, Scope::kUser, MAGI_STORE(s.providers[names[0]].api_key_env = text(v)), "",
     "Name of the environment variable that holds the key.", 0, 0, Form::kVariable},
    {"providers.*.model", Kind::kText, Scope::kUser, MAGI_STORE(s.providers[names[0]].model = text(v)), "",
     "Model used with this provider without --model."},
    {"providers.*.headers.*", Kind::kText, Scope::kUser, MAGI_STORE(s.providers[names[0]].headers[names[1]] = text(v)),
     "", "A header sent with each request; not for keys."},

    {"accounts.openai_codex.issuer", Kind::kText, Scope::kUser, MAGI_STORE(s.codex_account.issuer = url(v)), "",
     "Account service of openai-codex; its login is sent there.", 0, 0, Form::kUrl},
    {"accounts.openai_codex.client_id", Kind::kText, Scope::kUser, MAGI_STORE(s.codex_account.client_id = text(v)), "",
     "The application as which openai-codex logs in."},

    {"mcp_servers.*.command", Kind::kText, Scope::kTrusted, MAGI_STORE(s.mcp_servers[names[0]].command = text(v)), "",
     "Program of an MCP server that is spoken to over its standard input and output."},
    {"mcp_servers.*.args", Kind::kTexts, Scope::kTrusted, MAGI_STORE(s.mcp_servers[names[0]].args = texts(v)), "[]",
     "Arguments of the program."},
    {"mcp_servers.*.env.*", Kind::kText, Scope::kTrusted, MAGI_STORE(s.mcp_servers[names[0]].env[names[1]] = text(v)),
     "", "A variable of the program's environment; ${NAME} stands for one of yours."},
    {"mcp_servers.*.url", Kind::kText, Scope::kTrusted, MAGI_STORE(s.mcp_servers[names[0]].url = text(v)), "",
     "Address of an MCP server that is spoken to over HTTP.", 0, 0, Form::kUrl},
    {"mcp_servers.*.headers.*", Kind::kText, Scope::kTrusted,
     MAGI_STORE(s.mcp_servers[names[0]].headers[names[1]] = text(v)), "",
     "A header sent with each request; ${NAME} stands for a variable of your environment."},
    {"mcp_servers.*.enabled", Kind::kBoolean, Scope::kTrusted,
     MAGI_STORE(s.mcp_servers[names[0]].enabled = v.get_bool()), "true", "Whether the server is used."},
    {"mcp_servers.*.timeout_ms", Kind::kInteger, Scope::kTrusted,
     MAGI_STORE(s.mcp_servers[names[0]].timeout_ms = v.get_int64()), "60000", "Time limit of one call.", 100,
     3'600'000},
    {"mcp_servers.*.tools", Kind::kTexts, Scope::kTrusted, MAGI_STORE(s.mcp_servers[names[0]].tools = texts(v)), "[]",
     "The server's tools that are offered; an empty list offers all."},
    {"mcp_servers.*.allow_read_only", Kind::kBoolean, Scope::kTrusted,
     MAGI_STORE(s.mcp_servers[names[0]].allow_read_only = v.get_bool()), "false",
     "In mode workspace, do not ask for calls of tools that the server says only read."},

    {"permissions.mode", Kind::kText, Scope::kTrusted, MAGI_STORE(s.permissions.mode = text(v)), "\"workspace\"",
     "What tools may do.", 0, 0, Form::kChoice, "workspace|ask|read-only|full"},
    {"permissions.network", Kind::kBoolean, Scope::kTrusted, MAGI_STORE(s.permissions.network = v.get_bool()), "false",
     "Let commands use the network."},
    {"permissions.allow", Kind::kTexts, Scope::kTrusted, MAGI_STORE(s.permissions.allow = texts(v)), "[]",
     "Rules of what is allowed without asking, such as bash(git diff *)."},
    {"permissions.confinement", Kind::kText, Scope::kUser, MAGI_STORE(s.permissions.confinement = text(v)), "\"auto\"",
     "What confines commands; auto takes Landlock, and bubblewrap where the kernel has none.", 0, 0, Form::kChoice,
     "auto|landlock|bubblewrap"},

    {"hooks.*.event", Kind::kText, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].event = text(v)), "",
     "When the hook runs.", 0, 0, Form::kChoice, "before_tool|after_tool|after_message|session_start|session_end"},
    {"hooks.*.command", Kind::kText, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].command = text(v)), "",
     "A command that bash runs."},
    {"hooks.*.argv", Kind::kTexts, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].argv = texts(v)), "[]",
     "A program and its arguments, in place of a command."},
    {"hooks.*.tools", Kind::kTexts, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].tools = texts(v)), "[]",
     "Tools that the hook is for, by name with *; an empty list is all."},
    {"hooks.*.timeout_ms", Kind::kInteger, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].timeout_ms = v.get_int64()),
     "30000", "Time limit; then the hook and all it started in its process group are killed.", 100, 600'000},
    {"hooks.*.blocking", Kind::kBoolean, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].blocking = v.get_bool()), "true",
     "Whether a before_tool hook that fails or is too slow refuses the call."},
    {"hooks.*.enabled", Kind::kBoolean, Scope::kTrusted, MAGI_STORE(s.hooks[names[0]].enabled = v.get_bool()), "true",
     "Whether the hook runs."},
    {"sessions.retention_days", Kind::kIntegerOrNull, Scope::kUser,
     MAGI_STORE(s.sessions.retention_days = number_or_null(v)), "null",
     "Delete sessions in the background after this many days; null keeps them.", 1, kMostDays},
    {"protection.policy", Kind::kText, Scope::kUser, MAGI_STORE(s.protection.policy = text(v)), "\"warn\"",
     "What happens to a tool result that looks like a prompt injection.", 0, 0, Form::kChoice,
     "off|warn|redact|withhold|ask"},
    {"protection.tools", Kind::kText, Scope::kUser, MAGI_STORE(s.protection.tools = text(v)),
     "\"web,mcp,bash,outside\"", "Whose results are assessed: web, mcp, bash, outside, files, all, or names of tools."},
    {"protection.assessor", Kind::kText, Scope::kUser, MAGI_STORE(s.protection.assessor = text(v)), "",
     "Shell command that assesses results in place of magi-assess."},
    {"skills.enabled", Kind::kBoolean, Scope::kProjectToo, MAGI_STORE(s.skills.enabled = v.get_bool()), "true",
     "Tell the model which skills there are."},
    {"ui.theme", Kind::kText, Scope::kUser, MAGI_STORE(s.ui.theme = text(v)), "\"auto\"",
     "Colours of the interface; auto goes by the terminal's background.", 0, 0, Form::kChoice,
     "auto|dark|light|high-contrast|16-colour|no-colour"},
    {"ui.vi_keys", Kind::kBoolean, Scope::kUser, MAGI_STORE(s.ui.vi_keys = v.get_bool()), "false",
     "Edit the prompt with vi's keys."},
    {"ui.reduced_motion", Kind::kBoolean, Scope::kUser, MAGI_STORE(s.ui.reduced_motion = v.get_bool()), "false",
     "Let nothing move but what changes."},
    {"ui.notify", Kind::kBoolean, Scope::kUser, MAGI_STORE(s.ui.notify = v.get_bool()), "true",
     "Ring the terminal's bell when a long turn ends unseen or a call waits for approval."},
    {"ui.mouse", Kind::kBoolean, Scope::kUser, MAGI_STORE(s.ui.mouse = v.get_bool()), "true",
     "Take the mouse: wheel, clicks, and dragging to copy."},
    {"title.provider", Kind::kText, Scope::kProjectToo, MAGI_STORE(s.title.provider = text(v)), "",
     "Provider that names sessions; with title.model.", 0, 0, Form::kProviderId},
    {"title.model", Kind::kText, Scope::kProjectToo, MAGI_STORE(s.title.model = text(v)), "",
     "Model that names sessions; with title.provider."},
};

#undef MAGI_STORE

std::string allowed_numbers(const Key& key) {
  std::string allowed = key.least == key.most ? "must be " + std::to_string(key.least)
                                              : "must be a whole number from " + std::to_string(key.least) + " to " +
                                                    std::to_string(key.most);
  return key.kind == Kind::kIntegerOrNull ? allowed + ", or null" : allowed;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_word(std::string_view text, std::string_view extra) {
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           extra.find(c) != std::string_view::npos;
  });
}

bool is_variable(std::string_view text) { return is_word(text, "_") && (text[0] < '0' || text[0] > '9'); }

std::string check_text(const Key& key, std::string_view value) {
  constexpr std::size_t kMostBytes = 4096;
  if (value.size() > kMostBytes) return "is longer than 4096 bytes";
  if (has_control_characters(value)) return "must be text without control characters";
  const auto parts = split(key.choices, '|');
  switch (key.form) {
    case Form::kAny: return {};
    case Form::kUrl:
      return is_service_url(value) ? "" : "must be an http or https URL without user name, query or fragment";
    case Form::kVariable: return is_variable(value) ? "" : "must be the name of an environment variable";
    case Form::kProviderId:
      return value.empty() || is_word(value, "_-") ? "" : "must be a provider's name: letters, digits, '_' and '-'";
    case Form::kChoice: {
      if (std::find(parts.begin(), parts.end(), value) != parts.end()) return {};
      std::string why = "must be one of ";
      for (std::size_t i = 0; i < parts.size(); ++i) why.append(i ? ", " : "").append(parts[i]);
      return why;
    }
  }
  return {};
}

}  // namespace

KeyTable keys() { return {std::begin(kKeys), std::end(kKeys)}; }

std::string check_value(const Key& key, const Value& value) {
  switch (key.kind) {
    case Kind::kBoolean: return value.is_bool() ? "" : "must be true or false";
    case Kind::kIntegerOrNull:
      if (value.is_null()) return {};
      [[fallthrough]];
    case Kind::kInteger: {
      const std::int64_t* const number = value.if_int64();
      return number && *number >= key.least && *number <= key.most ? "" : allowed_numbers(key);
    }
    case Kind::kText:
      return value.is_string() ? check_text(key, std::string_view(value.get_string()))
                               : "must be text in double quotes";
    case Kind::kTexts: {
      constexpr std::size_t kMostTexts = 256;
      const json::Array* const list = value.if_array();
      if (!list || !std::all_of(list->begin(), list->end(), [](const Value& one) { return one.is_string(); }))
        return "must be a list of texts: [\"...\"]";
      if (list->size() > kMostTexts) return "has more than 256 texts";
      for (const Value& one : *list)
        if (std::string why = check_text(key, std::string_view(one.get_string())); !why.empty()) return why;
      return {};
    }
  }
  return {};
}

std::string check_names(const Key& key, const Names& names) {
  if (key.path.starts_with("providers.") && !is_word(names[0], "_-"))
    return "a provider's name has letters, digits, '_' and '-' only";
  if (key.path.starts_with("agent.context.model_overrides.") &&
      (names[0].find('/') == std::string::npos || has_control_characters(names[0])))
    return "must be named \"provider/model\"";
  if (key.path.starts_with("hooks.") && (!is_word(names[0], "_-") || names[0].size() > kLongestServerName))
    return "a hook's name has up to 32 letters, digits, '_' and '-'";
  if (key.path.starts_with("mcp_servers.") && (!is_word(names[0], "_-") || names[0].size() > kLongestServerName))
    return "a server's name has up to 32 letters, digits, '_' and '-'";
  if (key.path.find(".env.") != std::string_view::npos)
    return is_variable(names[1]) ? "" : "is not the name of an environment variable";
  if (names.size() > 1 && !is_word(names[1], "!#$%&'*+-.^_`|~")) return "is not the name of a header";
  return {};
}

}  // namespace magi::config
