// What a person asks about a service without asking its model: --list-models and --status.
#pragma once

#include "libcommon/config/settings.h"
#include "tools/magi-provider/options.h"

namespace magi::provider {

// One model a line: its id, then, where the server tells it, a tab and its context window in tokens.
Result<int> list_models(const HttpOptions& options, Transport& transport);

// The provider that would be used: where it is, which model, and whether its key is there, never the key.
Result<int> report_status(const config::Settings& settings, const config::Environment& environment,
                          const Options& options);

}  // namespace magi::provider
