// Where the other executables are: MAGI_TOOL_PATH (a colon list) if set, then beside the caller, then libexec, then
// PATH.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::tool {

class ToolPath {
 public:
  // `tool_path` and `path` are the values of MAGI_TOOL_PATH and PATH; empty when unset.
  ToolPath(std::string_view tool_path, std::string_view path);

  // Absolute path of an executable file named `name`.  kConfig with what was searched when there is none.
  Result<std::string> find(std::string_view name) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace magi::tool
