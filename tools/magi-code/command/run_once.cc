#include <unistd.h>

#include "libcommon/os/signals.h"
#include "libcommon/tool/report.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/driver.h"
#include "tools/magi-code/front/json_sink.h"
#include "tools/magi-code/front/print_sink.h"
#include "tools/magi-code/prompt/image_part.h"
#include "tools/magi-code/prompt/prompt_input.h"

namespace magi::code {
namespace {

StdinUse stdin_use(const Options& options) {
  if (options.print == "-") return StdinUse::kWhole;
  if (options.use_stdin) return StdinUse::kWait;
  return options.no_stdin ? StdinUse::kNever : StdinUse::kAuto;
}

Result<UserPrompt> user_prompt(const Options& options) {
  MAGI_TRY(PromptInput input, read_prompt(*options.print, stdin_use(options)));
  if (input.stdin_left_alone)
    tool::notice("magi-code", "standard input stayed silent and is left alone; --stdin waits for it");
  UserPrompt prompt;
  prompt.text = std::move(input.text);
  prompt.origin = "user";
  for (const std::string& file : options.images) {
    MAGI_TRY(event::Part part, image_part(file));
    prompt.parts.push_back(std::move(part));
  }
  return prompt;
}

Result<int> run(const Setting& setting, Sink& sink) {
  MAGI_TRY(UserPrompt prompt, user_prompt(setting.options));
  MAGI_TRY(const std::unique_ptr<Assembly> assembly, Assembly::create(setting, Assembly::Purpose::kRun));
  MAGI_CHECK(assembly->load());
  Driver driver(setting, *assembly, sink, false);
  bool ended = false;
  driver.start(std::move(prompt), [&](const Outcome&) { ended = true; });
  driver.loop_until([&] { return ended && !assembly->preflight().busy(); });
  return driver.finish();
}

}  // namespace

PrintOptions print_options(const Setting& setting) {
  PrintOptions options;
  options.quiet = setting.options.quiet;
  options.verbose = setting.options.verbose;
  options.stdout_is_terminal = isatty(STDOUT_FILENO) == 1;
  options.colour = isatty(STDERR_FILENO) == 1 && !setting.environment.get("NO_COLOR");
  return options;
}

Result<int> run_once(const Setting& setting) {
  os::ignore_sigpipe();
  if (!setting.options.json) {
    PrintSink sink(print_options(setting));
    return run(setting, sink);
  }
  JsonSink sink;
  auto status = run(setting, sink);
  if (!status) return failed_before_run(sink, status.error());
  return status;
}

}  // namespace magi::code
