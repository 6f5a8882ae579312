#include "tools/magi-tokens/measure.h"

#include <limits.h>
#include <unistd.h>

#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "libcommon/tokens/counter.h"
#include "libcommon/tool/report.h"
#include "tools/magi-tokens/stream_count.h"
#include "tools/magi-tokens/texts.h"

namespace magi::measure {
namespace {

Error no_exact_table(const Options& options) {
  const std::string model = options.provider.empty() ? options.model : options.provider + "/" + options.model;
  return make_error(ErrorCode::kUsage, "no exact table for ", quoted(model), ": only estimates can be had");
}

std::string working_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) ? path : "";
}

Result<int> run_stream(const Options& options, const tool::Invocation& invocation) {
  if (!options.files.empty())
    return make_error(ErrorCode::kUsage, "FILE ", quoted(options.files.front()),
                      " needs --text: streams come from stdin");
  if (::isatty(STDIN_FILENO))
    return make_error(ErrorCode::kUsage, "no conversation: pipe one in, as in `magi-code request ID | magi-tokens`");
  MAGI_TRY(std::string root, invocation.environment.state_home(options.home));
  const session::Home home(std::move(root));
  MAGI_TRY(const config::Settings settings,
           config::load_settings({home.settings(), working_directory(), options.overlay}));
  // Who serves has a parent that read the same files and has said it.
  if (!options.serve)
    for (const std::string& warning : settings.warnings) tool::notice(invocation.name, warning);
  return count_streams(options, settings, home, invocation.name);
}

}  // namespace

Result<int> run(const Options& options, const tool::Invocation& invocation) {
  const bool measures = options.text || options.ids || options.decode || options.truncate;
  if (!measures) return run_stream(options, invocation);
  // Offline measurement of a model means its own tokens.
  if (!options.model.empty() && !tokens::counter_for(options.provider, options.model).is_exact())
    return no_exact_table(options);
  if (options.check || options.serve)
    return make_error(ErrorCode::kUsage, options.check ? "--check" : "--serve", " is about streams, not plain text");
  if (options.json && !options.text) return make_error(ErrorCode::kUsage, "--json is for reports: streams and --text");
  if (options.text) return count_texts(options, invocation.name);
  if (options.ids) return print_ids(options, invocation.name);
  if (options.decode) return decode_ids(options, invocation.name);
  if (options.files.size() > 1) return make_error(ErrorCode::kUsage, "--truncate is for one FILE");
  return truncate_text(options, invocation.name);
}

}  // namespace magi::measure
