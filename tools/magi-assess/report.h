// An assessment as a record, and as a line for people.
#pragma once

#include <string>

#include "libcommon/event/assessment.h"
#include "tools/magi-assess/assess.h"

namespace magi::assess {

event::AssessmentAnswer record_of(std::string result_id, const Assessment& assessment);
// "redact, score 96: override.previous, secrecy.user", the spans below; ends with LF.
std::string text_of(const Assessment& assessment);

}  // namespace magi::assess
