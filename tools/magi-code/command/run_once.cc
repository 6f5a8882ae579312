#include <sys/stat.h>
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

// Before anything is done that its failure would waste.
Result<void> check_output_file(const Options& options) {
  if (!options.output_last_message) return {};
  const std::string& path = *options.output_last_message;
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (exists && S_ISDIR(info.st_mode))
    errno = EISDIR;
  else if (access(exists ? path.c_str() : folder.c_str(), W_OK) == 0)
    return {};
  return make_error(ErrorCode::kUsage, errno_error("--output-last-message: cannot write " + quoted(path), errno).what);
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

// `print` is the sink where it is the one for people.
Result<int> run(const Setting& setting, Sink& sink, PrintSink* print) {
  MAGI_CHECK(check_output_file(setting.options));
  MAGI_TRY(UserPrompt prompt, user_prompt(setting.options));
  MAGI_TRY(const std::unique_ptr<Assembly> assembly, Assembly::create(setting, Assembly::Purpose::kRun, &sink));
  MAGI_CHECK(assembly->load());
  Driver driver(setting, *assembly, sink, false);
  bool ended = false;
  driver.start(std::move(prompt), [&](const Outcome&) { ended = true; });
  driver.loop_until([&] { return ended; });
  if (print) print->set_resume_hint(resume_command(setting, *assembly));
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
    return run(setting, sink, &sink);
  }
  JsonSink sink;
  return run(setting, sink, nullptr);
}

}  // namespace magi::code
