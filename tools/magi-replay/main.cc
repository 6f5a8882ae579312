// magi-replay: rebuilds the conversation of a session.  See magi-replay(1).
#include "libcommon/session/paths.h"
#include "libcommon/tool/options.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-replay/replay.h"

namespace {

magi::Result<int> run(magi::tool::Invocation& invocation) {
  magi::replay::Options options;
  magi::tool::OptionParser parser("magi-replay", "Write the conversation that a session holds, as JSON Lines.");
  parser.operand("SESSION", options.operand, "session ID, child:ID, a file (with / or .), or - for stdin");
  parser.option("--until", options.until, "EVENT_ID", "stop before this event");
  parser.option("--from", options.from, "PROGRAM", "read FILE, a session file of codex, claude or pi")
      .choices({"codex", "claude", "pi"});
  parser.flag("--pretty", options.pretty, "write a transcript for reading instead");
  parser.flag("--no-digest", options.no_digest, "leave the digest out of the end record: faster");
  if (const auto status = parser.parse(invocation.argc, invocation.argv)) return *status;
  options.home = parser.home();
  return magi::replay::run(options, invocation);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-replay", argc, argv, envp, run); }
