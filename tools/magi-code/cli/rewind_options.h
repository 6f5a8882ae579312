// The command lines of `magi-code changes` and `magi-code rewind`.
#pragma once

#include <optional>
#include <string>

#include "libcommon/tool/options.h"

namespace magi::code {

struct RewindOptions {
  std::optional<std::string> id;  // the session; changes: none is the latest of the working tree
  std::string to;                 // an event ID or a turn ID; empty: the last prompt
  bool files = false, conversation = false, both = false;
  bool dry_run = false, force = false, yes = false;
  bool json = false;
};

class RewindCommands {
 public:
  RewindCommands(tool::Options& parser, RewindOptions& options);
  bool changes_chosen() const;
  bool rewind_chosen() const;

 private:
  tool::Options* changes_;
  tool::Options* rewind_;
};

}  // namespace magi::code
