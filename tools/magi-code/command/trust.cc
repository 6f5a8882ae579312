// `magi-code trust`: what the project's settings ask for, and the user's word on it.
#include "libcommon/config/trust.h"

#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

Result<int> revoke(const Setting& setting, tool::Stdout& out) {
  MAGI_TRY(const bool was, config::revoke_trust(setting.home.settings(), setting.cwd));
  out.buffer() += was ? "nothing of this folder is trusted any more\n" : "nothing of this folder was trusted\n";
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace

Result<int> run_trust(const Setting& setting) {
  tool::Stdout out;
  if (setting.options.trust_revoke) return revoke(setting, out);
  const auto& question = setting.settings.trust;
  if (!question) {
    out.buffer() += "this folder's settings ask for nothing that needs trust\n";
    MAGI_CHECK(out.flush());
    return kExitOk;
  }
  out.buffer() += display_safe(question->file) + "\n";
  for (const std::string& entry : question->entries) out.buffer() += "  " + display_safe(entry) + "\n";
  if (question->trusted) {
    out.buffer() += "trusted\n";
  } else if (setting.options.trust_show) {
    out.buffer() += "not trusted, and not in force; magi-code trust accepts exactly this\n";
  } else {
    MAGI_CHECK(config::trust(setting.home.settings(), *question));
    out.buffer() += "trusted from now on, as long as nothing of it changes\n";
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
