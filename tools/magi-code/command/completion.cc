#include "libcommon/tool/completion.h"

#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"

namespace magi::code {

Result<int> print_completion(const tool::OptionParser& parser, const std::string& shell) {
  tool::Stdout out;
  MAGI_CHECK(out.write(tool::completion_script(parser, shell).value_or("")));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
