// One call for a person: the output on stdout as text, what else there is to say on stderr.
#pragma once

#include <optional>
#include <string>

#include "libcommon/base/result.h"
#include "tools/magi-tool/session.h"

namespace magi::toolbox {

// `argument`: a JSON object, or plain text for the tool's plain argument.  The exit status: 0 for `success`, 130 or 143
// after a signal, else 1.
Result<int> run_for_person(Session& session, const std::string& tool, const std::optional<std::string>& argument);

}  // namespace magi::toolbox
