// --login and --logout, and what --status says of accounts.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-provider/auth/token_request.h"
#include "tools/magi-provider/options.h"

namespace magi::provider {

AccountService account_service(const config::Settings& settings);

// Of openai-codex, the only account that is logged in here; kUsage for others, with who does it for them.
Result<int> log_in_account(const tool::Invocation& invocation, const Options& options, const config::Settings& settings,
                           const session::Home& home);
Result<int> log_out_account(const Options& options, const session::Home& home);

// "logged in as ACCOUNT, plan plus", "nobody is logged in", or why the login cannot be read.
std::string login_state(const session::Home& home);

}  // namespace magi::provider
