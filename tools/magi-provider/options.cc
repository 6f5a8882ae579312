#include "tools/magi-provider/options.h"

#include <unistd.h>

#include "libcommon/tool/options.h"
#include "libcommon/tool/report.h"
#include "tools/magi-provider/wire.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kLongestMs = 86'400'000;

std::string working_directory() {
  std::string path(4096, '\0');
  return getcwd(path.data(), path.size()) ? path.c_str() : std::string();
}

void define_connection(tool::OptionParser& parser, Options& options) {
  parser.group("Where to ask");
  parser.option(
      "--provider", options.wish.provider, "NAME",
      "openai-codex, anthropic, openai, claude-subscription, openai-compatible, scripted, or a name from settings");
  parser.option("-m,--model", options.wish.model, "MODEL", "model to ask");
  parser.option("--set", options.overlay, "KEY=VALUE", "override a setting");
  parser.option("--base-url", options.wish.base_url, "URL", "address of the service; the provider's key is sent there");
  parser.option("--script", options.script, "FILE", "answer from a script instead").conflicts_with({"--base-url"});
}

void define_patience(tool::OptionParser& parser, Options& options) {
  parser.group("Patience");
  parser.option("--retries", options.retries, "N", "send a request again at most N times (5)").range(0, 15);
  parser.option("--retry-delay-ms", options.retry_delay_ms, "N", "first delay; four times that for a busy server (500)")
      .range(1, 60'000);
  parser.option("--connect-timeout-ms", options.limits.connect_ms, "N", "for a connection (10000)")
      .range(1, kLongestMs);
  parser
      .option("--headers-timeout-ms", options.limits.headers_ms, "N",
              "for the head of an answer (120000; 600000 nearby)")
      .range(1, kLongestMs);
  parser.option("--idle-timeout-ms", options.limits.idle_ms, "N", "without a byte (300000)").range(1, kLongestMs);
}

}  // namespace

std::optional<int> parse_options(tool::Invocation& invocation, Options& options) {
  tool::OptionParser parser("magi-provider", "Send a conversation to a model and write its answer, as JSON Lines.");
  define_connection(parser, options);
  parser.group("What to ask");
  parser.option("--prompt", options.prompt, "TEXT", "message behind the conversation");
  parser.flag("--serve", options.serve, "answer requests one after another until stdin ends")
      .conflicts_with({"--prompt"});
  define_patience(parser, options);
  parser.group("Instead of asking");
  parser.flag("--list-models", options.list_models, "list the models that the service has")
      .conflicts_with({"--serve", "--prompt"});
  parser.flag("--status", options.status, "say which provider would be used, and whether its key is there")
      .conflicts_with({"--serve", "--prompt"});
  parser.optional_value("--login", options.login, "NAME", "log in to an account (openai-codex), in a browser")
      .conflicts_with({"--serve", "--prompt", "--logout"});
  parser.option("--login-port", options.login_port, "N", "port of this machine for the browser (1455, else 1457)")
      .range(0, 65535)
      .needs("--login");
  parser.optional_value("--logout", options.logout, "NAME", "forget an account's login (openai-codex)")
      .conflicts_with({"--serve", "--prompt"});
  if (const auto status = parser.parse(invocation.argc, invocation.argv)) return status;
  options.home = parser.home();
  if (!options.script.empty() && options.wish.provider.empty()) options.wish.provider = "scripted";
  return std::nullopt;
}

Result<config::Settings> read_settings(const tool::Invocation& invocation, const Options& options,
                                       const session::Home& home) {
  MAGI_TRY(auto settings, config::load_settings({home.settings(), working_directory(), options.overlay}));
  // Who serves has a parent that read the same files and has said it.
  if (!options.serve)
    for (const std::string& warning : settings.warnings) tool::notice(invocation.name, warning);
  return settings;
}

Result<HttpOptions> http_options(const Options& options, config::ProviderChoice choice,
                                 const config::Environment& environment, std::shared_ptr<Account> account) {
  MAGI_CHECK(check_base_url(choice.base_url));
  HttpOptions http;
  MAGI_TRY(http.key, usable_key(environment.get_or(choice.key_env, ""), choice.key_env));
  http.choice = std::move(choice);
  http.account = std::move(account);
  http.limits = options.limits;
  http.retry.max_retries = options.retries;
  http.retry.scale_to(static_cast<double>(options.retry_delay_ms) / 1000);
  return http;
}

}  // namespace magi::provider
