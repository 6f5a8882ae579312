// The command line below `magi-code sessions`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/tool/options.h"

namespace magi::code {

struct SessionsOptions {
  enum class Verb { kNone, kList, kSearch, kShow, kRename, kDelete, kFork, kImport, kRepairPermissions };
  Verb verb = Verb::kNone;
  std::optional<std::string> id, text, file;  // operands: the session; a title or what is searched for; a file
  std::vector<std::string> ids;               // of delete
  std::string before;                         // of fork: an event ID
  std::string from;                           // of import: the program that wrote the file; empty: see the file
  bool json = false;
  bool dry_run = false, yes = false;  // of repair-permissions
};

// Adds the subcommand and its verbs.  After parsing, take_verb() sets `options.verb`.
class SessionsCommands {
 public:
  SessionsCommands(tool::Options& parser, SessionsOptions& options);
  // True when a verb was chosen.
  bool take_verb();

 private:
  SessionsOptions& options_;
  std::vector<std::pair<tool::Options*, SessionsOptions::Verb>> verbs_;
};

}  // namespace magi::code
