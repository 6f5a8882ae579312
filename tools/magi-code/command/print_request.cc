#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"

namespace magi::code {

// What would be sent, and nothing else: no lease, no file, no provider.
Result<int> print_request(const Setting& setting) {
  MAGI_TRY(const std::unique_ptr<Assembly> assembly, Assembly::create(setting, Assembly::Purpose::kPreview));
  MAGI_CHECK(assembly->load());
  const RunSettings settings = assembly->run_settings(false);
  Entries entries;
  event::SessionPreferences preferences = settings.preferences;
  entries.add(preferences);
  event::UserInput input;
  if (setting.options.prompt) {
    input.text = *setting.options.prompt;
    input.origin = "user";
    entries.add(input);
  }
  MAGI_TRY([[maybe_unused]] const auto ids,
           assembly->journal().append(std::move(entries), session::Durability::kBestEffort));
  event::Request request = request_of(settings);
  request.session_id = setting.options.session_operand.value_or("");
  tool::Stdout out;
  MAGI_TRY(const std::string stream, assembly->journal().request(request, {}, context::StreamDigest::kSha256));
  MAGI_CHECK(out.write(stream));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
