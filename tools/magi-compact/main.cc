// magi-compact: replaces what a session holds by a summary of it.  See magi-compact(1).
#include "libcommon/tool/run_main.h"
#include "tools/magi-compact/compact.h"

namespace {

magi::Result<int> run(magi::tool::Invocation& invocation) {
  magi::compact::Options options;
  if (const auto status = magi::compact::parse_options(invocation.argc, invocation.argv, options)) return *status;
  return magi::compact::run(options, invocation);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-compact", argc, argv, envp, run); }
