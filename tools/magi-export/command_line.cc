#include "tools/magi-export/command_line.h"

#include <unistd.h>

#include "libcommon/json/writer.h"
#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "libcommon/session/known_keys.h"
#include "libcommon/tool/options.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-export/export.h"
#include "tools/magi-export/readable.h"

namespace magi::exporting {
namespace {

struct Options {
  std::optional<std::string> session_id;
  std::string format;
  bool redact = false, json = false;
};

std::string as_json(const Exported& exported) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("path").string(exported.path).key("bytes").integer(static_cast<std::int64_t>(exported.bytes));
  json.key("files").integer(exported.files).key("masked_secrets").integer(exported.masked);
  json.key("warnings").begin_array();
  for (const Warning& warning : exported.warnings)
    json.begin_object().key("category").string(warning.category).key("role").string(warning.role).end_object();
  json.end_array().end_object();
  return text + '\n';
}

void give_notices(std::string_view name, const std::vector<Warning>& warnings) {
  constexpr std::size_t kMostLines = 10;
  for (std::size_t i = 0; i < warnings.size() && i < kMostLines; ++i)
    tool::notice(name, "not complete: " + std::string(warnings[i].role) + " " + std::string(warnings[i].category));
  if (warnings.size() > kMostLines)
    tool::notice(name, "not complete: " + std::to_string(warnings.size() - kMostLines) + " more");
}

void give_masked_notice(std::string_view name, std::int64_t masked) {
  tool::notice(
      name, "masked " + std::to_string(masked) + " secrets of known shapes; others may be left: read before you share");
}

Result<Exported> export_with_progress(const session::Home& home, const Options& options) {
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  const bool show = ::isatty(STDERR_FILENO) == 1;
  bool shown = false;
  const auto put = [](const std::string& text) { static_cast<void>(os::write_all(STDERR_FILENO, text)); };
  const auto go_on = [&](double share) {
    if (show && share > 0 && share < 1) {
      put("\rexporting " + std::to_string(static_cast<int>(share * 100)) + " %");
      shown = true;
    }
    return signals.received() == 0;
  };
  Result<Exported> exported = export_session(home, *options.session_id, options.redact, go_on);
  if (shown) put("\r\033[K");
  return exported;
}

Result<int> print_readable(std::string_view name, const session::Home& home, const Options& options) {
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  const Format format = options.format == "md"     ? Format::kMarkdown
                        : options.format == "html" ? Format::kHtml
                                                   : Format::kJsonl;
  tool::Stdout out;
  MAGI_TRY(const Readable done, write_readable(home, *options.session_id, format, options.redact, out,
                                               [&] { return signals.received() == 0; }));
  MAGI_CHECK(out.flush());
  give_notices(name, done.warnings);
  if (done.skipped_lines > 0)
    tool::notice(name, std::to_string(done.skipped_lines) + " lines that are no events were left out");
  if (options.redact) give_masked_notice(name, done.masked);
  return kExitOk;
}

}  // namespace

Result<int> run(tool::Invocation& invocation) {
  Options options;
  tool::OptionParser parser(invocation.name, "Write a session and all that belongs to it to one ZIP archive.");
  parser.flag("--redact", options.redact, "mask secrets of known shapes");
  parser.option("--format", options.format, "FORMAT", "write one readable text to stdout instead of an archive")
      .choices({"md", "html", "jsonl"});
  parser.flag("--json", options.json, "one JSON object instead of the path alone");
  parser.operand("SESSION_ID", options.session_id, "the session").required();
  if (const auto status = parser.parse(invocation.argc, invocation.argv)) return *status;
  if (options.json && !options.format.empty())
    return make_error(ErrorCode::kUsage, "--json and --format exclude each other");
  MAGI_TRY(std::string root, invocation.environment.state_home(parser.home()));
  const session::Home home(std::move(root));
  MAGI_CHECK(session::check_home(home));
  if (options.redact) session::learn_known_keys(home, invocation.environment);
  if (!options.format.empty()) return print_readable(invocation.name, home, options);
  MAGI_TRY(const Exported exported, export_with_progress(home, options));
  give_notices(invocation.name, exported.warnings);
  if (options.redact)
    give_masked_notice(invocation.name, exported.masked);
  else
    tool::notice(invocation.name,
                 "the archive is not encrypted and holds the raw session: whatever was read, written and said");
  tool::Stdout out;
  MAGI_CHECK(out.write(options.json ? as_json(exported) : exported.path + '\n'));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::exporting
