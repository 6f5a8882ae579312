// What a person asks about a service without asking its model: --list-models and --status.
#pragma once

#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "tools/magi-provider/options.h"

namespace magi::provider {

// One model a line: its id, then, where the server tells it, a tab and its context window in tokens.  The list is kept
// as the provider's catalog.
Result<int> list_models(const HttpOptions& options, Transport& transport, const session::Home& home);
// The names that an installed claude knows its models by.
Result<int> list_claude_models();

// The provider that would be used: where it is, which model, and whether its key or login is there, never itself.
Result<int> report_status(const config::Settings& settings, const config::Environment& environment,
                          const Options& options, const session::Home& home);

}  // namespace magi::provider
