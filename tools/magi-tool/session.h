// What outlives a call in one process: the workspace, what the model has seen, and the commands in the background.
#pragma once

#include <map>
#include <set>
#include <string>

#include "libcommon/config/environment.h"
#include "tools/magi-tool/checkpoint.h"
#include "tools/magi-tool/event_loop.h"
#include "tools/magi-tool/observed.h"
#include "tools/magi-tool/permissions.h"
#include "tools/magi-tool/shell.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

struct Session {
  const config::Environment& environment;
  Mode mode = Mode::kWorkspace;
  Workspace workspace;
  Observed observed;
  EventLoop& loop;
  Shell shell;
  Checkpoints checkpoints;
  std::map<std::string, std::set<std::string>> asked = {};  // by call: what approval was asked for, and so can be given
  bool allow_private = false;                               // `open` may fetch from this machine and private networks
};

}  // namespace magi::toolbox
