#include "libcommon/os/signals.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/driver.h"
#include "tools/magi-code/front/control.h"
#include "tools/magi-code/front/line_input.h"

namespace magi::code {
namespace {

// Runs until standard input has ended and nothing runs any more; a running turn is finished first.
Result<int> run(const Setting& setting, JsonSink& sink) {
  MAGI_TRY(const std::unique_ptr<Assembly> assembly, Assembly::create(setting, Assembly::Purpose::kRun, &sink));
  MAGI_CHECK(assembly->load());
  Driver driver(setting, *assembly, sink, true);
  Control control(driver.run(), sink, [&](UserPrompt prompt) { driver.start(std::move(prompt)); });
  if (setting.options.print) driver.start({*setting.options.print, {}, "user", {}, {}});
  bool input_ended = false;
  const LineInput input(assembly->loop(), [&](const std::optional<InputLine>& line) {
    if (line)
      control.on_line(*line);
    else {
      input_ended = true;
      driver.run().nobody_answers();
    }
  });
  driver.loop_until([&] { return input_ended && !driver.run().active(); });
  return driver.finish();
}

}  // namespace

Result<int> run_control(const Setting& setting) {
  os::ignore_sigpipe();
  JsonSink sink;
  return run(setting, sink);
}

}  // namespace magi::code
