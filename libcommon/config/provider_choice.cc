#include "libcommon/config/provider_choice.h"

#include <array>

#include "libcommon/json/node.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/child.h"

namespace magi::config {
namespace {

struct Builtin {
  std::string_view id;
  Api api;
  std::string_view base_url;
  std::string_view key_env;
  std::string_view model;  // the documented default
  Credential credential = Credential::kKey;
};

// In the order in which they are looked for when nothing is said.
constexpr std::array kBuiltins{
    Builtin{"openai-codex", Api::kResponses, "https://chatgpt.com/backend-api/codex", "", "gpt-5-codex",
            Credential::kCodexLogin},
    Builtin{"anthropic", Api::kMessages, "https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-sonnet-4-5"},
    Builtin{"openai", Api::kResponses, "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5"},
    Builtin{"claude-subscription", Api::kClaude, "", "", "sonnet", Credential::kClaudeLogin},
    Builtin{"openai-compatible", Api::kChat, "", "MC_API_KEY", ""},
    Builtin{"scripted", Api::kScripted, "", "", "scripted"},
};

const Builtin* builtin(std::string_view id) {
  for (const Builtin& entry : kBuiltins)
    if (entry.id == id) return &entry;
  return nullptr;
}

Error nothing_chosen() {
  return make_error(
      ErrorCode::kConfig,
      "no model to talk to: no provider is set and no key was found\n"
      "for a service, export ANTHROPIC_API_KEY or OPENAI_API_KEY, or log in: magi-provider --login; for a "
      "local server, give --base-url http://127.0.0.1:11434/v1\n"
      "`magi-code doctor` looks for local model servers; `magi-code demo` needs neither key nor network");
}

// What a request to this provider needs is there.
bool is_ready(const Builtin& entry, const Environment& environment, const std::string& auth_file) {
  switch (entry.credential) {
    case Credential::kKey: return !entry.base_url.empty() && environment.get(entry.key_env);
    case Credential::kCodexLogin: return has_login(auth_file, entry.id).value_or(false);
    case Credential::kClaudeLogin: return os::find_executable("claude", environment.get_or("PATH", "")).has_value();
  }
  return false;
}

// Without a wish: settings, else the first provider that is ready.
std::string choose_id(const Settings& settings, const Environment& environment, const ProviderWish& wish,
                      const std::string& auth_file) {
  if (!wish.provider.empty()) return wish.provider;
  if (!wish.base_url.empty()) return "openai-compatible";
  if (!settings.provider.empty()) return settings.provider;
  for (const Builtin& entry : kBuiltins)
    if (is_ready(entry, environment, auth_file)) return std::string(entry.id);
  return {};
}

Result<void> check_credential(const ProviderChoice& choice, const Environment& environment, bool own_address,
                              const std::string& auth_file) {
  switch (choice.credential) {
    case Credential::kKey:
      if (!own_address || choice.key_env.empty() || environment.get(choice.key_env)) return {};
      return make_error(ErrorCode::kConfig, "no key for provider ", quoted(choice.id), ": ", choice.key_env,
                        " is not set");
    case Credential::kCodexLogin: {
      if (auth_file.empty()) return {};
      MAGI_TRY(const bool known, has_login(auth_file, choice.id));
      if (known) return {};
      return make_error(ErrorCode::kConfig, "provider ", quoted(choice.id),
                        " needs a login: nobody is logged in\nlog in: magi-provider --login ", choice.id);
    }
    case Credential::kClaudeLogin: {
      const auto program = os::find_executable("claude", environment.get_or("PATH", ""));
      if (program) return {};
      return make_error(ErrorCode::kConfig, "provider ", quoted(choice.id),
                        " needs an installed claude: there is none in PATH");
    }
  }
  return {};
}

Result<Api> api_of(const ProviderSettings& settings, const Builtin* entry) {
  if (entry && entry->credential != Credential::kKey) return entry->api;
  if (settings.api == "responses") return Api::kResponses;
  if (settings.api == "messages") return Api::kMessages;
  if (settings.api == "chat" || !entry) return Api::kChat;
  return entry->api;
}

std::string without_trailing_slashes(std::string url) {
  while (!url.empty() && url.back() == '/') url.pop_back();
  return url;
}

// `--model`, else the model that settings give this provider, else the general one where it is meant for it.
std::string choose_model(const Settings& settings, const ProviderSettings& own, const ProviderWish& wish,
                         const std::string& id, const Builtin* entry) {
  if (!wish.model.empty()) return wish.model;
  const bool general_fits = settings.provider.empty() || settings.provider == id;
  if (general_fits && !settings.model.empty()) return settings.model;
  if (!own.model.empty()) return own.model;
  return entry ? std::string(entry->model) : std::string();
}

}  // namespace

Result<ProviderChoice> choose_provider(const Settings& settings, const Environment& environment,
                                       const ProviderWish& wish, const std::string& auth_file) {
  if (!wish.base_url.empty() && !is_service_url(wish.base_url))
    return make_error(ErrorCode::kUsage,
                      "--base-url: must be an http or https URL without user name, query or fragment");
  ProviderChoice choice;
  choice.id = choose_id(settings, environment, wish, auth_file);
  if (choice.id.empty()) return nothing_chosen();
  const Builtin* entry = builtin(choice.id);
  const auto defined = settings.providers.find(choice.id);
  if (!entry && defined == settings.providers.end())
    return make_error(ErrorCode::kConfig, "unknown provider ", quoted(choice.id),
                      ": neither built in nor defined in settings (providers.", choice.id, ")");
  const ProviderSettings own = defined == settings.providers.end() ? ProviderSettings{} : defined->second;
  MAGI_TRY(choice.api, api_of(own, entry));
  choice.base_url = without_trailing_slashes(!wish.base_url.empty() ? wish.base_url : own.base_url);
  const bool own_address = choice.base_url.empty();
  if (own_address && entry) choice.base_url = entry->base_url;
  if (entry) choice.credential = entry->credential;
  if (choice.base_url.empty() && choice.api != Api::kScripted && choice.api != Api::kClaude)
    return make_error(ErrorCode::kConfig, "provider ", quoted(choice.id),
                      " has no address: give --base-url, or set providers.", choice.id, ".base_url");
  choice.model = choose_model(settings, own, wish, choice.id, entry);
  if (choice.credential == Credential::kKey)
    choice.key_env = !own.api_key_env.empty() ? own.api_key_env : entry ? std::string(entry->key_env) : std::string();
  choice.headers = own.headers;
  MAGI_CHECK(check_credential(choice, environment, own_address, auth_file));
  return choice;
}

Result<bool> has_login(const std::string& auth_file, std::string_view provider) {
  constexpr std::size_t kMaxBytes = 1u << 20;
  const std::size_t slash = auth_file.rfind('/');
  if (slash == std::string::npos) return false;
  const auto absent = [](const Error& error) { return error.code == ErrorCode::kNotFound; };
  auto folder = os::Dir::open_top(auth_file.substr(0, slash), os::IfMissing::kFail);
  if (!folder && absent(folder.error())) return false;
  if (!folder) return std::move(folder.error());
  auto text = os::read_file(*folder, auth_file.substr(slash + 1), kMaxBytes);
  if (!text && absent(text.error())) return false;
  if (!text) return make_error(ErrorCode::kConfig, text.error().what);
  json::Parser parser;
  const auto root = parser.parse(*text);
  if (!root) return make_error(ErrorCode::kConfig, "cannot use ", quoted(auth_file), ": ", root.error().what);
  return root->find(provider).find("access_token").is(json::Kind::kString);
}

std::vector<std::string_view> builtin_providers() {
  std::vector<std::string_view> ids;
  for (const Builtin& entry : kBuiltins) ids.push_back(entry.id);
  return ids;
}

bool is_builtin_provider(std::string_view id) { return builtin(id) != nullptr; }

std::vector<std::string> provider_key_variables(const Settings& settings) {
  std::vector<std::string> names;
  for (const Builtin& entry : kBuiltins)
    if (!entry.key_env.empty()) names.emplace_back(entry.key_env);
  for (const auto& [id, provider] : settings.providers)
    if (!provider.api_key_env.empty()) names.push_back(provider.api_key_env);
  return names;
}

bool is_service_url(std::string_view text) {
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  if (scheme == 0 || text.find_first_of(" ?#\\\"<>") != std::string_view::npos) return false;
  const std::string_view authority = text.substr(scheme, text.find('/', scheme) - scheme);
  return !authority.empty() && authority.front() != ':' && authority.find('@') == std::string_view::npos;
}

bool is_loopback_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  std::string_view host = url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (host.starts_with("[")) return host.starts_with("[::1]");
  host = host.substr(0, host.find(':'));
  return host == "localhost" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace magi::config
