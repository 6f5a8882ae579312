// magi-assess: does a tool's output try to give the model orders?  See magi-assess(1).
#include "libcommon/tool/options.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-assess/serve.h"

namespace {

magi::Result<int> run(magi::tool::Invocation& invocation) {
  magi::assess::Options o;
  std::string policy = "warn";
  magi::tool::OptionParser parser("magi-assess", "Say whether a tool's output looks like a prompt injection.");
  parser.option("--policy", policy, "POLICY", "what is to happen to one that does: warn, redact, withhold or ask")
      .choices({"warn", "redact", "withhold", "ask"});
  parser.flag("--json", o.json, "one JSON record instead of text");
  parser.flag("--check", o.check, "exit 4 unless the verdict is allow");
  parser.flag("--serve", o.serve, "answer one record for each record read, until the end of input")
      .conflicts_with({"--check"});
  if (const auto status = parser.parse(invocation.argc, invocation.argv)) return *status;
  o.policy = *magi::assess::policy_of(policy);
  return magi::assess::run(o);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-assess", argc, argv, envp, run); }
