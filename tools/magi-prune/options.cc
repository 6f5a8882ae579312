#include "tools/magi-prune/options.h"

#include <algorithm>
#include <charconv>

#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/options.h"

namespace magi::prune {
namespace {

// Digits and nothing else: an argument that is read in another way than it was meant deletes sessions.
Result<std::int64_t> parse_days(const std::string& text) {
  std::int64_t days = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
  const bool is_plain =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_plain || error != std::errc() || end != text.data() + text.size() || days < 1 || days > kMostDays)
    return make_error(ErrorCode::kUsage, "DAYS ", quoted(text), ": must be a whole number from 1 to ",
                      std::to_string(kMostDays));
  return days;
}

}  // namespace

Result<Parsed> parse_options(tool::Invocation& invocation) {
  Parsed parsed;
  Options& o = parsed.options;
  std::optional<std::string> days;
  tool::OptionParser parser(invocation.name, "Delete sessions that have not been used for a number of days.");
  parser.flag("--dry-run", o.dry_run, "say what would be deleted, and delete nothing");
  parser.flag("--background", o.background,
              "keep to sessions.retention_days of the settings; child sessions too; say nothing but errors");
  parser.flag("--json", o.json, "one JSON object instead of text");
  parser.operand("DAYS", days, "age in days from which sessions go (default: 30)").allow_empty();
  parsed.exit_status = parser.parse(invocation.argc, invocation.argv);
  if (parsed.exit_status) return parsed;
  MAGI_TRY(o.home, invocation.environment.state_home(parser.home()));
  const session::Home home(o.home);
  MAGI_CHECK(session::check_home(home));
  if (days) {
    MAGI_TRY(o.days, parse_days(*days));
  } else if (!o.background) {
    o.days = kDefaultDays;
  } else {
    MAGI_TRY(const config::Settings settings, config::load_settings({home.settings(), {}, {}}));
    o.days = settings.sessions.retention_days;
  }
  return parsed;
}

}  // namespace magi::prune
