// magi-tool's command line, and what follows from it and the settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-tool/permissions.h"
#include "tools/magi-tool/shell.h"

namespace magi::toolbox {

struct CommandLine {
  std::string root = ".";
  std::vector<std::string> added;
  std::optional<std::string> session_id;
  std::optional<std::string> permissions;
  std::vector<std::string> removed;  // --unset-env
  std::vector<std::string> overlay;  // --set
  bool network = false, allow_private = false, serve = false, list = false;
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::string> tool, argument;  // one call for a person
};

// Nothing in `exit_status` where the caller should go on.
struct ParsedLine {
  std::optional<int> exit_status;
  CommandLine line;
  std::string home;
};
Result<ParsedLine> parse_command_line(tool::Invocation& invocation);

// The whole program, once the command line is known.
Result<int> run_program(const tool::Invocation& invocation, const ParsedLine& parsed);

}  // namespace magi::toolbox
