// Conversation streams on stdin, counted record by record.
#pragma once

#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "tools/magi-tokens/measure.h"

namespace magi::measure {

// One stream and its report; with options.serve a report a stream until stdin ends, a failed stream being answered by
// {"error":{"category","message"}}.
Result<int> count_streams(const Options& options, const config::Settings& settings, const session::Home& home,
                          std::string_view name);

}  // namespace magi::measure
