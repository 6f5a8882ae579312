// What grep and find leave out, and how they say so.
#pragma once

#include <cstdint>
#include <string>

#include "tools/magi-tool/call.h"
#include "tools/magi-tool/walk.h"

namespace magi::toolbox {

// By the call's argument `all`; `pattern` may be null.  A pattern that names something hidden finds hidden files.
WalkOptions search_options(const Call& call, const std::string* pattern);

struct SkippedFiles {
  std::int64_t hidden = 0, ignored = 0, binary = 0, unreadable = 0;

  void add(const Walk::Skipped& walk);
  // A line, or nothing.
  std::string remark() const;
};

}  // namespace magi::toolbox
