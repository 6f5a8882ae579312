// The prompt of a run without a terminal: the text of -p, with standard input put before it where there is some.
#pragma once

#include <string>

#include "libcommon/base/result.h"

namespace magi::code {

enum class StdinUse {
  kAuto,  // a pipe or a file is read; a pipe that stays silent for a second is left alone
  kWait,  // read to its end
  kNever,
  kWhole,  // it is the prompt
};

struct PromptInput {
  std::string text;
  bool stdin_left_alone = false;
};

// Blocks while standard input is read: up to 16 MiB, more is kLimit.  kUsage when the prompt is blank.
Result<PromptInput> read_prompt(const std::string& text, StdinUse use);

}  // namespace magi::code
