// A script: answers written down beforehand, one record a line as magi-provider itself writes them, each answer up to
// its `done` or `error`.  `delay_ms` on a record is the pause before it.  What a real provider answered is a script as
// it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::provider {

struct ScriptLine {
  std::string type;
  std::string members;  // JSON members without type, request_id and delay_ms, each behind a comma
  std::int64_t delay_ms = 0;
};

// Every answer ends with done or error; one that the script leaves open gets its done.
using ScriptedAnswer = std::vector<ScriptLine>;

// kConfig with file and line where the script cannot be read or holds no answers.
Result<std::vector<ScriptedAnswer>> load_script(const std::string& path);
Result<std::vector<ScriptedAnswer>> parse_script(std::string_view name, std::string_view text);

}  // namespace magi::provider
