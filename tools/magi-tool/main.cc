// magi-tool: the tools of an agent, over a stream of calls or one at a time.  See magi-tool(1).
#include "tools/magi-tool/command_line.h"

namespace {

magi::Result<int> body(magi::tool::Invocation& invocation) {
  MAGI_TRY(const magi::toolbox::ParsedLine parsed, magi::toolbox::parse_command_line(invocation));
  if (parsed.exit_status) return *parsed.exit_status;
  return magi::toolbox::run_program(invocation, parsed);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-tool", argc, argv, envp, body); }
