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
  const std::string model =
      options.model.empty() ? "any model in this version"
                            : quoted(options.provider.empty() ? options.model : options.provider + "/" + options.model);
  return make_error(ErrorCode::kUsage, "no exact table for ", model, ": only estimates can be had");
}

bool is_exact(const Options& options) {
  if (options.model.empty()) return tokens::default_counter().is_exact();
  return tokens::counter_for(options.provider, options.model).is_exact();
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
  MAGI_TRY(const config::Settings settings, config::load_settings({home.settings(), working_directory(), options.overlay}));
  // Who serves has a parent that read the same files and has said it.
  if (!options.serve)
    for (const std::string& warning : settings.warnings) tool::notice(invocation.name, warning);
  return count_streams(options, settings, home, invocation.name);
}

}  // namespace

Result<int> run(const Options& options, const tool::Invocation& invocation) {
  // Offline measurement of a model means its own tokens, and these modes have no meaning for estimates.
  const bool measures = options.text || options.ids || options.decode || options.truncate;
  const bool needs_exact = options.ids || options.decode || options.truncate ||
                           (options.text && !options.model.empty()) || (measures && options.strict);
  if (needs_exact && !is_exact(options)) return no_exact_table(options);
  if (!measures) return run_stream(options, invocation);
  if (options.check || options.serve)
    return make_error(ErrorCode::kUsage, options.check ? "--check" : "--serve", " is about streams, not plain text");
  return count_texts(options, invocation.name);
}

}  // namespace magi::measure
