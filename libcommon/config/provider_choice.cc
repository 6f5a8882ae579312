#include "libcommon/config/provider_choice.h"

#include <algorithm>
#include <array>

namespace magi::config {
namespace {

struct Builtin {
  std::string_view id;
  Api api;
  std::string_view base_url;
  std::string_view key_env;
  std::string_view model;  // the documented default
};

constexpr std::array kBuiltins{
    Builtin{"anthropic", Api::kMessages, "https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-sonnet-4-5"},
    Builtin{"openai", Api::kResponses, "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5"},
    Builtin{"openai-compatible", Api::kChat, "", "MC_API_KEY", ""},
    Builtin{"scripted", Api::kScripted, "", "", "scripted"},
};

constexpr std::array<std::string_view, 2> kNeedLogin{"openai-codex", "claude-subscription"};

const Builtin* builtin(std::string_view id) {
  for (const Builtin& entry : kBuiltins)
    if (entry.id == id) return &entry;
  return nullptr;
}

Error nothing_chosen() {
  return make_error(ErrorCode::kConfig,
                    "no model to talk to: no provider is set and no key was found\n"
                    "for a service, export ANTHROPIC_API_KEY or OPENAI_API_KEY; for a local server, give --base-url "
                    "http://127.0.0.1:11434/v1\n"
                    "`magi-code doctor` looks for local model servers; `magi-code demo` needs neither key nor network");
}

// Without a wish: settings, else the first provider whose key is there.
std::string choose_id(const Settings& settings, const Environment& environment, const ProviderWish& wish) {
  if (!wish.provider.empty()) return wish.provider;
  if (!wish.base_url.empty()) return "openai-compatible";
  if (!settings.provider.empty()) return settings.provider;
  for (const Builtin& entry : kBuiltins)
    if (!entry.base_url.empty() && environment.get(entry.key_env)) return std::string(entry.id);
  return {};
}

Result<Api> api_of(const ProviderSettings& settings, const Builtin* entry) {
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
                                       const ProviderWish& wish) {
  if (!wish.base_url.empty() && !is_service_url(wish.base_url))
    return make_error(ErrorCode::kUsage,
                      "--base-url: must be an http or https URL without user name, query or fragment");
  ProviderChoice choice;
  choice.id = choose_id(settings, environment, wish);
  if (choice.id.empty()) return nothing_chosen();
  for (std::string_view id : kNeedLogin)
    if (choice.id == id)
      return make_error(
          ErrorCode::kConfig, "provider ", quoted(id),
          " needs a login, which this version does not offer\nuse a key with anthropic or openai, or --base-url");
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
  if (choice.base_url.empty() && choice.api != Api::kScripted)
    return make_error(ErrorCode::kConfig, "provider ", quoted(choice.id),
                      " has no address: give --base-url, or set providers.", choice.id, ".base_url");
  choice.model = choose_model(settings, own, wish, choice.id, entry);
  choice.key_env = !own.api_key_env.empty() ? own.api_key_env : entry ? std::string(entry->key_env) : std::string();
  choice.headers = own.headers;
  if (own_address && !choice.key_env.empty() && !environment.get(choice.key_env))
    return make_error(ErrorCode::kConfig, "no key for provider ", quoted(choice.id), ": ", choice.key_env,
                      " is not set");
  return choice;
}

bool is_builtin_provider(std::string_view id) {
  return builtin(id) || std::find(kNeedLogin.begin(), kNeedLogin.end(), id) != kNeedLogin.end();
}

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
