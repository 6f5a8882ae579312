// A session as one readable text (magi-export(1), --format): the whole history, the archives of its generations first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-export/contents.h"

namespace magi::exporting {

enum class Format { kMarkdown, kHtml, kJsonl };

struct Readable {
  std::int64_t events = 0, skipped_lines = 0, masked = 0;
  std::vector<Warning> warnings;  // of what belongs to the history alone
};

// Writes to `out` and leaves the rest in it.  Memory: the longest event.  `go_on`: false ends it with kCancelled.
Result<Readable> write_readable(const session::Home& home, const std::string& id, Format format, bool redact,
                                tool::Stdout& out, const std::function<bool()>& go_on);

}  // namespace magi::exporting
