// What of a tool result a provider is shown: the overlays of requirements R10, R8 and R4, in this order.  Private to
// libcommon/context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/context/line_source.h"
#include "libcommon/context/replay_index.h"

namespace magi::context {

struct ResultView {
  std::optional<std::string> output;  // JSON text between quotes; nothing: as stored
  std::optional<std::int64_t> omitted_chars;
  std::string_view withheld;  // why, where the output is not shown
  bool with_parts = true;
};

// Requires: the call at `call_at` has a result.
Result<ResultView> view_result(const ReplayIndex& index, std::size_t call_at, LineSource& source);

}  // namespace magi::context
