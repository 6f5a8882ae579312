// Where the session comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/config/environment.h"
#include "libcommon/os/fd.h"

namespace magi::replay {

// A file that stands at `base` and can be read twice.
struct SessionInput {
  os::Fd fd;
  std::uint64_t base = 0;
  std::string session_id;  // where the operand names it
};

// The operand of magi-replay(1); without one, or with "-", stdin.  What cannot be read twice (a pipe, a terminal) is
// copied to a file without a name in $TMPDIR or /tmp, which blocks until its end.
Result<SessionInput> open_input(const std::optional<std::string>& operand, const std::optional<std::string>& home,
                                const config::Environment& environment);

// The same where the operand can only be a file, or "-".
Result<SessionInput> open_file_input(const std::optional<std::string>& operand, const config::Environment& environment);

// An empty file without a name, to be read and written.
Result<os::Fd> unnamed_file(const std::string& folder);
std::string temporary_folder(const config::Environment& environment);

}  // namespace magi::replay
