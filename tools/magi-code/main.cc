// magi-code: the orchestrator.  See magi-code(1).
#include "libcommon/tool/run_main.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/failure.h"

namespace {

using namespace magi;
using namespace magi::code;

Result<int> dispatch(const Options& options, const tool::OptionParser& parser, const tool::Invocation& invocation) {
  if (options.command == Options::Command::kCompletion) return print_completion(parser, *options.shell_operand);
  MAGI_TRY(const Setting setting, Setting::resolve(options, parser, invocation.environment));
  return run_command(setting);
}

Result<int> run(tool::Invocation& invocation) {
  tool::OptionParser parser("magi-code", "A coding agent in the terminal, made of small tools.");
  Options options;
  if (const auto status = parse_options(parser, invocation.argc, invocation.argv, options)) {
    if (parser.wrong()) report_wrong_options(invocation.argc, invocation.argv, *parser.wrong());
    return *status;
  }
  Result<int> outcome = dispatch(options, parser, invocation);
  if (!outcome) report_no_run(options, outcome.error());
  return outcome;
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-code", argc, argv, envp, run); }
