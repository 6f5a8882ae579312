// magi-prune: deletes sessions that nobody has used for a while.  See magi-prune(1).
#include "libcommon/tool/run_main.h"
#include "tools/magi-prune/options.h"
#include "tools/magi-prune/prune.h"
#include "tools/magi-prune/report.h"

namespace {

using namespace magi;

Result<int> run(tool::Invocation& invocation) {
  MAGI_TRY(const prune::Parsed parsed, prune::parse_options(invocation));
  if (parsed.exit_status) return *parsed.exit_status;
  if (!parsed.options.days) return kExitOk;
  MAGI_TRY(const prune::Outcome outcome, prune::run(parsed.options));
  return prune::report(parsed.options, outcome);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-prune", argc, argv, envp, run); }
