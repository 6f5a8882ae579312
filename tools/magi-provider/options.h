// The command line of magi-provider, and what it comes to with settings and environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/config/provider_choice.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-provider/http_answerer.h"

namespace magi::provider {

struct Options {
  std::vector<std::string> overlay;  // --set
  config::ProviderWish wish;
  std::string prompt, script;
  std::optional<std::string> login, logout;
  bool serve = false, list_models = false, status = false;
  std::optional<std::int64_t> login_port;
  std::int64_t retries = 5, retry_delay_ms = 500;
  TimeLimits limits;
  std::optional<std::string> home;
};

// Nothing where the tool should run; else its exit status, with everything said.
std::optional<int> parse_options(tool::Invocation& invocation, Options& options);

// Reads the settings; warnings go to stderr.
Result<config::Settings> read_settings(const tool::Invocation& invocation, const Options& options,
                                       const session::Home& home);

// kConfig with what to do about it.
Result<HttpOptions> http_options(const Options& options, config::ProviderChoice choice,
                                 const config::Environment& environment, std::shared_ptr<Account> account);

}  // namespace magi::provider
