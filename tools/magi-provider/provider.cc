#include "tools/magi-provider/provider.h"

#include <unistd.h>

#include "libcommon/session/known_keys.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-provider/auth/codex_account.h"
#include "tools/magi-provider/auth/verbs.h"
#include "tools/magi-provider/claude/claude_answerer.h"
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

Result<int> serve(const tool::Invocation& invocation, const Options& options, Answerer& answerer) {
  tool::Stdout out;
  return Host(host_options(invocation, options), answerer, out).run();
}

Result<void> check_input(const Options& options) {
  if (options.serve || !options.prompt.empty() || isatty(STDIN_FILENO) != 1) return {};
  return make_error(ErrorCode::kUsage, "no conversation on stdin: pipe one in, or give --prompt");
}

Result<int> answer_from_script(const tool::Invocation& invocation, const Options& options, const std::string& model) {
  if (options.script.empty()) return make_error(ErrorCode::kUsage, "provider 'scripted' needs --script FILE");
  MAGI_TRY(auto answers, load_script(options.script));
  ScriptAnswerer answerer(std::move(answers), model);
  return serve(invocation, options, answerer);
}

Result<int> answer_by_claude(const tool::Invocation& invocation, const Options& options,
                             const config::Settings& settings, const config::ProviderChoice& choice) {
  if (options.list_models) return list_claude_models();
  MAGI_CHECK(check_input(options));
  MAGI_TRY(ClaudeOptions claude, claude_options(settings, invocation.environment, choice, options.limits));
  ClaudeAnswerer answerer(std::move(claude));
  return serve(invocation, options, answerer);
}

Result<int> answer_over_http(const tool::Invocation& invocation, const Options& options,
                             const config::Settings& settings, const session::Home& home,
                             config::ProviderChoice choice) {
  std::shared_ptr<Account> account;
  if (choice.credential == config::Credential::kCodexLogin)
    account = std::make_shared<CodexAccount>(AuthStore(home), account_service(settings));
  MAGI_TRY(HttpOptions http, http_options(options, std::move(choice), invocation.environment, std::move(account)));
  if (!options.list_models) MAGI_CHECK(check_input(options));
  MAGI_TRY(const auto transport, Transport::create(net::network_options(invocation.environment)));
  if (options.list_models) return list_models(http, *transport, home);
  HttpAnswerer answerer(std::move(http), *transport);
  return serve(invocation, options, answerer);
}

}  // namespace

Result<int> run(tool::Invocation& invocation) {
  Options options;
  if (const auto status = parse_options(invocation, options)) return *status;
  MAGI_TRY(const std::string root, invocation.environment.state_home(options.home));
  const session::Home home(root);
  MAGI_TRY(const config::Settings settings, read_settings(invocation, options, home));
  session::learn_known_keys(home, invocation.environment, config::provider_key_variables(settings));
  if (options.login) return log_in_account(invocation, options, settings, home);
  if (options.logout) return log_out_account(options, home);
  if (options.status) return report_status(settings, invocation.environment, options, home);

  MAGI_TRY(auto choice, config::choose_provider(settings, invocation.environment, options.wish, home.auth()));
  if (choice.api == config::Api::kScripted) return answer_from_script(invocation, options, choice.model);
  if (!options.script.empty()) return make_error(ErrorCode::kUsage, "--script: only with provider 'scripted'");
  if (choice.api == config::Api::kClaude) return answer_by_claude(invocation, options, settings, choice);
  return answer_over_http(invocation, options, settings, home, std::move(choice));
}

}  // namespace magi::provider
