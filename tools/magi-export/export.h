// The export as a whole: gather, write, publish.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"
#include "tools/magi-export/contents.h"

namespace magi::exporting {

struct Exported {
  std::string path;
  std::uint64_t bytes = 0;  // of the archive
  std::int64_t files = 0, masked = 0;
  std::vector<Warning> warnings;
};

// `go_on` is asked now and then with the share that is done, or -1; false ends the export, which then leaves nothing.
// The session is not changed.
Result<Exported> export_session(const session::Home& home, const std::string& id, bool redact,
                                const std::function<bool(double)>& go_on);

}  // namespace magi::exporting
