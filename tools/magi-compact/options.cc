#include "tools/magi-compact/options.h"

#include "libcommon/tool/options.h"

namespace magi::compact {

std::optional<int> parse_options(int argc, const char* const* argv, Options& o) {
  tool::OptionParser parser("magi-compact",
                            "Replace what a session holds by a summary of it; an archive keeps it all.");
  parser.operand("SESSION", o.session, "session ID, or child:ID");
  parser.option("--instructions", o.instructions, "TEXT", "what the summary should look after");
  parser.flag("--dry-run", o.dry_run, "say what would be done; send and change nothing");
  parser.flag("--json", o.json, "one JSON object instead of text");
  parser.group("Model");
  parser.option("--provider", o.provider, "NAME", "provider that writes the summary");
  parser.option("-m,--model", o.model, "NAME", "model that writes the summary");
  parser.option("--base-url", o.base_url, "URL", "address of the service; the provider's key is sent there");
  parser.option("--set", o.overlay, "KEY=VALUE", "override a setting");
  parser.option("--lease-fd", o.lent_fd, "N", "descriptor that holds the session's lease")
      .range(3, 1'000'000)
      .hidden();
  parser.option("--trigger", o.trigger, "WHY", "what the checkpoint says of its cause")
      .choices({"manual", "automatic", "preflight"})
      .hidden();
  if (const auto status = parser.parse(argc, argv)) return status;
  o.home = parser.home();
  return std::nullopt;
}

}  // namespace magi::compact
