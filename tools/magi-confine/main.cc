// magi-confine: runs one command confined, and ends it with everything it started.  See magi-confine(1).
#include "libcommon/tool/run_main.h"
#include "tools/magi-confine/options.h"
#include "tools/magi-confine/supervisor.h"

namespace {

magi::Result<int> body(magi::tool::Invocation& invocation) {
  const magi::confine::Parsed parsed = magi::confine::parse_options(invocation.argc, invocation.argv);
  if (parsed.exit_status) return *parsed.exit_status;
  return parsed.options.probe ? magi::confine::probe(parsed.options) : magi::confine::supervise(parsed.options);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-confine", argc, argv, envp, body); }
