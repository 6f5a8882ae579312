// The last record of a --json stream where a run could not begin: its reader waits for one whatever went wrong.
#pragma once

#include "libcommon/base/error.h"
#include "tools/magi-code/cli/options.h"

namespace magi::code {

// Options that could not be understood; nothing unless they ask for a run with --json.
void report_wrong_options(int argc, const char* const* argv, const Error& error);
// Prints nothing unless the command is a run with --json.
void report_no_run(const Options& options, const Error& error);

}  // namespace magi::code
