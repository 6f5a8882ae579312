#include "tools/magi-provider/service_report.h"

#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-provider/auth/verbs.h"
#include "tools/magi-provider/catalog/catalog.h"
#include "tools/magi-provider/claude/claude_login.h"
#include "tools/magi-provider/wire.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kPatienceMs = 30'000, kNsPerMs = 1'000'000;

// Makes the account's login usable, where the provider has one.
Result<void> prepare_login(const HttpOptions& options, Transport& transport) {
  if (!options.account) return {};
  Account& account = *options.account;
  for (account.prepare(transport); account.busy(); account.step(transport)) {
    transport.wait({}, -1, std::max<std::int64_t>(1, (account.wake_ns() - monotonic_ns()) / kNsPerMs));
    transport.step();
  }
  if (!account.failure()) return {};
  const bool for_the_user = account.failure()->kind == FailureKind::kConfig;
  return make_error(for_the_user ? ErrorCode::kConfig : ErrorCode::kUpstream, options.choice.id, ": ",
                    account.failure()->message);
}

// One request; nothing where it succeeded.
std::optional<Failure> ask_for_models(const HttpOptions& options, Transport& transport, ModelListing& listing) {
  HttpRequest request;
  request.url = models_url(options.choice);
  request.headers = request_headers(options.choice, options.key, kJson);
  if (options.account)
    for (std::string& header : options.account->headers()) request.headers.push_back(std::move(header));
  request.connect_timeout_ms = options.limits.connect_ms;
  transport.begin(request, listing);
  const std::int64_t limit_ms = options.limits.headers_ms > 0 ? options.limits.headers_ms : kPatienceMs;
  const std::int64_t deadline_ns = monotonic_ns() + limit_ms * kNsPerMs;
  for (transport.step(); transport.active(); transport.step()) {
    const std::int64_t left_ns = deadline_ns - monotonic_ns();
    if (left_ns <= 0) {
      transport.abort();
      Failure late;
      late.kind = FailureKind::kTimeout;
      late.message = "cannot list the models: no answer in time";
      return late;
    }
    transport.wait({}, -1, left_ns / kNsPerMs + 1);
  }
  return listing.finish(transport.failure());
}

Result<int> print_models(const std::vector<Model>& models) {
  tool::Stdout out;
  for (const Model& model : models) {
    out.buffer() += model.id;
    if (model.context_window) out.buffer() += "\t" + std::to_string(*model.context_window);
    MAGI_CHECK(out.write("\n"));
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

std::string key_state(const config::ProviderChoice& choice, const config::Environment& environment,
                      const session::Home& home) {
  switch (choice.credential) {
    case config::Credential::kCodexLogin: return "login: " + login_state(home);
    case config::Credential::kClaudeLogin: return "login: " + claude_login_state(environment);
    case config::Credential::kKey: break;
  }
  if (choice.key_env.empty()) return "key: none is sent";
  return "key: " + choice.key_env + (environment.get(choice.key_env) ? " is set" : " is not set, none is sent");
}

}  // namespace

Result<int> list_models(const HttpOptions& options, Transport& transport, const session::Home& home) {
  if (options.account) options.account->begin_answer({}, {});
  std::optional<Failure> failure;
  std::vector<Model> models;
  bool again = true;
  while (again) {
    MAGI_CHECK(prepare_login(options, transport));
    ModelListing listing;
    failure = ask_for_models(options, transport, listing);
    models = sanitised(listing.models());
    again = failure && failure->http_status == 401 && options.account && options.account->refused();
  }
  if (failure) {
    const std::string_view secret = options.account ? options.account->secret() : std::string_view(options.key);
    return make_error(ErrorCode::kUpstream, options.choice.id, ": ", redacted(failure->message, secret));
  }
  if (auto kept = write_catalog(home, options.choice.id, models); !kept)
    tool::notice("magi-provider", "the list is not kept: " + kept.error().what);
  return print_models(models);
}

Result<int> list_claude_models() {
  return print_models({{"opus", {}, {}, {}, {}}, {"sonnet", {}, {}, {}, {}}, {"haiku", {}, {}, {}, {}}});
}

Result<int> report_status(const config::Settings& settings, const config::Environment& environment,
                          const Options& options, const session::Home& home) {
  // Whether anybody is logged in is part of the answer.
  const std::string auth_file = options.wish.provider.empty() ? home.auth() : std::string();
  MAGI_TRY(const auto choice, config::choose_provider(settings, environment, options.wish, auth_file));
  std::string text = "provider: " + choice.id + "\n";
  if (choice.api == config::Api::kScripted) {
    text += "script: " + (options.script.empty() ? std::string("none, give --script") : options.script) + "\n";
  } else {
    if (choice.api != config::Api::kClaude) {
      MAGI_CHECK(check_base_url(choice.base_url));
      text += "url: " + request_url(choice) + "\n";
    }
    text += "model: " + (choice.model.empty() ? std::string("the only one that the server has") : choice.model) + "\n";
    text += key_state(choice, environment, home) + "\n";
  }
  tool::Stdout out;
  MAGI_CHECK(out.write(text));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::provider
