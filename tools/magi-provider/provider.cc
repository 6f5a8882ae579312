#include "tools/magi-provider/provider.h"

#include <unistd.h>

#include "libcommon/tool/stdout.h"
#include "tools/magi-provider/host.h"
#include "tools/magi-provider/options.h"
#include "tools/magi-provider/script_answerer.h"
#include "tools/magi-provider/service_report.h"

namespace magi::provider {
namespace {

HostOptions host_options(const tool::Invocation& invocation, const Options& options) {
  HostOptions host;
  host.name = invocation.name;
  host.serve = options.serve;
  host.prompt = options.prompt;
  host.show_waiting = isatty(STDERR_FILENO) == 1;
  // A person at the keyboard who gave a prompt has said all there is.
  if (!options.serve && !options.prompt.empty() && isatty(STDIN_FILENO) == 1) host.input_fd = -1;
  return host;
}

Result<int> answer_from_script(const tool::Invocation& invocation, const Options& options, const std::string& model) {
  if (options.script.empty()) return make_error(ErrorCode::kUsage, "provider 'scripted' needs --script FILE");
  MAGI_TRY(auto answers, load_script(options.script));
  ScriptAnswerer answerer(std::move(answers), model);
  tool::Stdout out;
  return Host(host_options(invocation, options), answerer, out).run();
}

}  // namespace

Result<int> run(tool::Invocation& invocation) {
  Options options;
  if (const auto status = parse_options(invocation, options)) return *status;
  MAGI_TRY(const config::Settings settings, read_settings(invocation, options));
  if (options.status) return report_status(settings, invocation.environment, options);

  MAGI_TRY(auto choice, config::choose_provider(settings, invocation.environment, options.wish));
  if (choice.api == config::Api::kScripted) return answer_from_script(invocation, options, choice.model);
  if (!options.script.empty()) return make_error(ErrorCode::kUsage, "--script: only with provider 'scripted'");
  MAGI_TRY(HttpOptions http, http_options(options, std::move(choice), invocation.environment));
  if (!options.serve && !options.list_models && options.prompt.empty() && isatty(STDIN_FILENO) == 1)
    return make_error(ErrorCode::kUsage, "no conversation on stdin: pipe one in, or give --prompt");
  MAGI_TRY(const auto transport, Transport::create(network_options(invocation.environment)));
  if (options.list_models) return list_models(http, *transport);
  HttpAnswerer answerer(std::move(http), *transport);
  tool::Stdout out;
  return Host(host_options(invocation, options), answerer, out).run();
}

}  // namespace magi::provider
