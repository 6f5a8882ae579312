// Which provider, model and address a run uses: command line, then settings, then the keys that are there (contracts,
// section 3).  magi-code and magi-provider both ask here, so that they never differ.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/config/environment.h"
#include "libcommon/config/settings.h"

namespace magi::config {

// What the command line says; empty: nothing.
struct ProviderWish {
  std::string provider, model, base_url;
};

// kClaude: an installed `claude` is asked, over its standard input and output.
enum class Api { kResponses, kMessages, kChat, kScripted, kClaude };

// What a request is signed with.
enum class Credential { kKey, kCodexLogin, kClaudeLogin };

struct ProviderChoice {
  std::string id;
  Api api = Api::kChat;
  Credential credential = Credential::kKey;
  std::string base_url;  // without trailing slash; empty for `scripted` and `claude-subscription`
  std::string model;     // empty: the only one that the server's /models lists, else an error
  std::string key_env;   // the variable that holds the key; empty: none is sent
  std::map<std::string, std::string> headers;
};

// kConfig with what to do about it: no provider can be chosen, an unknown name, no base URL, no key for the provider's
// own address, nobody logged in.  `auth_file` is session::Home::auth(); empty: logins are not looked for.
Result<ProviderChoice> choose_provider(const Settings& settings, const Environment& environment,
                                       const ProviderWish& wish, const std::string& auth_file = {});

// Whether auth.json holds a login of this provider.  A file whose owner, mode or content cannot be trusted is an error.
Result<bool> has_login(const std::string& auth_file, std::string_view provider);

// The built-in providers, in the order in which they are looked for; for tests alone: `scripted`, the last.
std::vector<std::string_view> builtin_providers();

// Every variable that holds a provider's key: of the built-in providers and of those that settings define.
std::vector<std::string> provider_key_variables(const Settings& settings);

// True for an http or https URL without user name, query or fragment.
bool is_service_url(std::string_view url);

// True for an address on this machine: localhost, 127.0.0.0/8, [::1].
bool is_loopback_url(std::string_view url);

}  // namespace magi::config
