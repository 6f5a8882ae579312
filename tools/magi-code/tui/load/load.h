// Reads what panels show.  Blocks on the disk (and, for "diff" and "doctor", on a child, within bounds): call it away
// from the interface's thread.  Writes nothing, takes no lock, and may run beside the engine.
#pragma once

#include <string>
#include <vector>

#include "libcommon/config/environment.h"
#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "tools/magi-code/tui/panel/data.h"
#include "tools/magi-code/tui/panel/effect.h"

namespace magi::code::tui {

// Where to look: copied into the thread that loads.
struct Source {
  session::Home home;
  std::string cwd;         // absolute
  std::string session_id;  // of the session that is open; empty: none is kept
  config::Environment environment;
  std::vector<std::string> child_environment;  // without keys: Setting::environment_without_keys()
  std::string magi_code;                       // the executable, for "doctor"
  std::string system_prompt;                   // RunSettings::instructions
  std::string base_url;                        // of the command line
};

// The answer to `wish`; names nobody knows are an error in it.
Loaded load(const Source& source, const Load& wish);

}  // namespace magi::code::tui
