// The stream of calls: each record in, one result out, in the order of the calls.
#pragma once

#include "libcommon/base/result.h"
#include "libcommon/event/stream.h"
#include "tools/magi-tool/session.h"

namespace magi::toolbox {

struct ServeOptions {
  // The process belongs to a host that ends it by closing stdin: a command then gets a moment, not its whole time.
  bool has_host = false;
};

// Blocks until the input ends; the exit status.
Result<int> serve(Session& session, const ServeOptions& options);

// Runs one call: arguments checked, root looked at, the tool run.  Never fails: what goes wrong is the outcome.
struct Ran {
  Result<Outcome> outcome;
  Details details;
  Effects effects;
};
Ran run_call(Session& session, const event::ToolCall& call, std::function<bool()> cancelled,
             std::function<void(std::string_view)> progress);

}  // namespace magi::toolbox
