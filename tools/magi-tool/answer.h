// From what a tool returned to the record that leaves: valid text, no secrets, bounded view, effects.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/event/answers.h"
#include "tools/magi-tool/call.h"

namespace magi::toolbox {

// `outcome`: the error becomes the output, status `error`.  `started_ns`: monotonic.
event::ToolAnswer make_answer(const std::string& call_id, Result<Outcome> outcome, Details details, Effects effects,
                              std::int64_t started_ns);

std::string_view status_name(Status status);

}  // namespace magi::toolbox
