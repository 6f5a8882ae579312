#include "tools/magi-provider/auth/verbs.h"

#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/os/child.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-provider/auth/codex_account.h"
#include "tools/magi-provider/auth/login.h"

namespace magi::provider {
namespace {

// The public client of the Codex command line, which the account service knows with its callbacks.
constexpr std::string_view kIssuer = "https://auth.openai.com", kClientId = "app_EMoamEEZ73f0CkXaXp7hrann";

Result<void> check_name(std::string_view option, const std::string& name) {
  if (name.empty() || name == kCodex) return {};
  if (name == "claude-subscription")
    return make_error(ErrorCode::kUsage, option, ": claude-subscription uses the login of the installed claude\n",
                      "run `claude auth ", option.substr(2), "`");
  return make_error(ErrorCode::kUsage, option, ": ", quoted(name), " has no account login, only openai-codex has");
}

// Where a person sits at a desktop, its opener of addresses.
void choose_browser(const config::Environment& environment, const config::Settings& settings, LoginOptions& login) {
  const bool has_desktop = environment.get("DISPLAY") || environment.get("WAYLAND_DISPLAY");
  if (!has_desktop || isatty(STDIN_FILENO) != 1) return;
  const auto opener = os::find_executable("xdg-open", environment.get_or("PATH", ""));
  if (!opener) return;
  const std::vector<std::string> keys = config::provider_key_variables(settings);
  login.browser = *opener;
  login.browser_env = environment.entries_without({keys.begin(), keys.end()});
}

std::string described(const Login& login) {
  std::string text = "account " + login.account_id;
  if (!login.plan.empty()) text += ", plan " + login.plan;
  return text;
}

}  // namespace

AccountService account_service(const config::Settings& settings) {
  const config::AccountSettings& own = settings.codex_account;
  return {own.issuer.empty() ? std::string(kIssuer) : own.issuer,
          own.client_id.empty() ? std::string(kClientId) : own.client_id};
}

Result<int> log_in_account(const tool::Invocation& invocation, const Options& options, const config::Settings& settings,
                           const session::Home& home) {
  MAGI_CHECK(check_name("--login", *options.login));
  const AuthStore store(home);
  // A file that cannot be used is said before the person has gone through the login.
  MAGI_CHECK(store.read(kCodex));
  MAGI_TRY(const auto transport, Transport::create(net::network_options(invocation.environment)));
  LoginOptions login;
  login.name = invocation.name;
  login.service = account_service(settings);
  login.port = options.login_port;
  choose_browser(invocation.environment, settings, login);
  MAGI_TRY(const Login fresh, log_in(login, *transport));
  MAGI_TRY(const os::Lease lock, store.lock(os::kMutationTimeoutMs));
  MAGI_CHECK(store.write(kCodex, fresh));
  tool::Stdout out;
  MAGI_CHECK(out.write("logged in to " + std::string(kCodex) + ": " + described(fresh) + "\n"));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

Result<int> log_out_account(const Options& options, const session::Home& home) {
  MAGI_CHECK(check_name("--logout", *options.logout));
  const AuthStore store(home);
  MAGI_TRY(const auto known, store.read(kCodex));
  bool removed = false;
  if (known) {
    MAGI_TRY(const os::Lease lock, store.lock(os::kMutationTimeoutMs));
    MAGI_TRY(removed, store.remove(kCodex));
  }
  tool::Stdout out;
  MAGI_CHECK(out.write(removed ? "logged out of openai-codex\n" : "nobody was logged in to openai-codex\n"));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

std::string login_state(const session::Home& home) {
  const auto login = AuthStore(home).read(kCodex);
  if (!login) return login.error().what.substr(0, login.error().what.find('\n'));
  if (!*login) return "nobody is logged in: magi-provider --login openai-codex";
  std::string text = "logged in, " + described(**login);
  const bool ended = (*login)->expires_at_s > 0 && (*login)->expires_at_s <= unix_time_ms() / 1000;
  if (ended) text += (*login)->refresh_token.empty() ? ", has ended" : ", to be renewed with the next request";
  return text;
}

}  // namespace magi::provider
