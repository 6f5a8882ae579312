// How a rewind is shown: as text for people, or as one JSON object.
#pragma once

#include <string>

#include "tools/magi-code/history/rewind_job.h"

namespace magi::code {

// Before anything is done.
std::string plan_text(const RewindReport& report);
// Afterwards.
std::string result_text(const RewindReport& report);
std::string json_text(const RewindReport& report);

}  // namespace magi::code
