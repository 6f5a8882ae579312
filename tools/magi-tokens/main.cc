// magi-tokens: counts what a request would carry.  See magi-tokens(1).
#include "libcommon/tool/options.h"
#include "libcommon/tool/run_main.h"
#include "tools/magi-tokens/measure.h"

namespace {

magi::Result<int> run(magi::tool::Invocation& invocation) {
  magi::measure::Options o;
  magi::tool::OptionParser parser("magi-tokens", "Count the tokens of a conversation stream, or of plain text.");
  parser.option("--provider", o.provider, "PROVIDER", "provider whose limits apply");
  parser.option("-m,--model", o.model, "MODEL", "model that the tokens are counted for");
  parser.option("--set", o.overlay, "KEY=VALUE", "override a setting");
  parser.flag("--json", o.json, "one JSON object instead of text");
  parser.flag("--check", o.check, "exit 4 when the request does not fit");
  parser.flag("--strict", o.strict, "exit 2 instead of an estimate");
  parser.flag("--serve", o.serve, "one JSON report for each stream, until the end of input")
      .conflicts_with({"--check"});
  parser.group("Plain text");
  parser.flag("--text", o.text, "count FILEs, or stdin, like wc");
  parser.flag("--ids", o.ids, "print the token IDs of each FILE on a line").conflicts_with({"--text"});
  parser.flag("--decode", o.decode, "turn token IDs into text").conflicts_with({"--text", "--ids"});
  parser.option("--truncate", o.truncate, "N", "write the longest prefix of at most N tokens")
      .range(1, INT64_MAX)
      .conflicts_with({"--text", "--ids", "--decode"});
  parser.option("--threads", o.threads, "N", "count with N threads instead of one a processor").range(1, 256);
  parser.operand("FILE", o.files, "text files");
  if (const auto status = parser.parse(invocation.argc, invocation.argv)) return *status;
  o.home = parser.home();
  return magi::measure::run(o, invocation);
}

}  // namespace

int main(int argc, char** argv, char** envp) { return magi::tool::run_main("magi-tokens", argc, argv, envp, run); }
