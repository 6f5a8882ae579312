// The cached catalog of a provider's models (requirement P5): IDs and what is shown or counted with, nothing else of
// what the server said.
//     cache/model-catalog/<provider>.json
//     {"models":[{"id","display_name"?,"context_window"?,"max_input_tokens"?,"max_output_tokens"?}]}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"
#include "tools/magi-provider/model_list.h"

namespace magi::provider {

// What may be shown and kept of a list that a server wrote: at most 2,000 models, each ID once, IDs of visible ASCII
// without what looks like a secret, names on one line, numbers that a context window can have.
std::vector<Model> sanitised(const std::vector<Model>& models);

std::string catalog_json(const std::vector<Model>& models);

// Replaces the provider's file; not synced: what is lost is asked for again.  Requires: sanitised models.
Result<void> write_catalog(const session::Home& home, std::string_view provider, const std::vector<Model>& models);

}  // namespace magi::provider
