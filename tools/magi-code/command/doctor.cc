#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

constexpr std::array<std::string_view, 10> kTools{"magi-replay", "magi-tokens",  "magi-compact", "magi-provider",
                                                  "magi-tool",   "magi-confine", "magi-assess",  "magi-mcp",
                                                  "magi-web",    "magi-code"};

struct LocalServer {
  std::uint16_t port;
  std::string_view program;
};
// The ports that the programs listen on unless told otherwise.
constexpr std::array kLocalServers{LocalServer{11434, "Ollama"}, LocalServer{8080, "llama.cpp"},
                                   LocalServer{1234, "LM Studio"}, LocalServer{8000, "vLLM"}};
constexpr int kConnectMs = 200;
constexpr std::size_t kMaxOutputBytes = 1024 * 1024;

bool listens(std::uint16_t port) {
  const os::Fd socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket_fd) return false;
  if (connect(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  pollfd entry{socket_fd.get(), POLLOUT, 0};
  if (poll(&entry, 1, kConnectMs) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket_fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

struct Output {
  int status;
  std::string text;
};

// Runs a tool of ours and reads what it prints; its error output is dropped.
Result<Output> output_of(const std::string& program, std::vector<std::string> args,
                         const std::vector<std::string>& env) {
  MAGI_TRY(os::Pipe pipe, os::make_pipe());
  os::SpawnOptions options;
  options.program = program;
  options.args = std::move(args);
  options.env = env;
  options.stdout_fd = pipe.write.get();
  MAGI_TRY(os::Child child, os::spawn(options));
  pipe.write.reset();
  MAGI_TRY(std::string text, os::read_all(pipe.read.get(), kMaxOutputBytes));
  MAGI_TRY(const int status, child.wait());
  return Output{os::exit_code_of(status), std::move(text)};
}

class Report {
 public:
  void ok(std::string_view text) { line("ok    ", text); }
  void note(std::string_view text) { line("note  ", text); }
  void fail(std::string_view text) {
    line("FAIL  ", text);
    failed_ = true;
  }
  Result<int> finish() {
    MAGI_CHECK(out_.flush());
    return failed_ ? kExitFailed : kExitOk;
  }

 private:
  void line(std::string_view mark, std::string_view text) {
    out_.buffer().append(mark).append(display_safe(text)) += '\n';
  }
  tool::Stdout out_;
  bool failed_ = false;
};

void check_tools(const Setting& setting, Report& report) {
  for (const std::string_view tool : kTools) {
    const auto path = setting.tool_path().find(tool);
    if (!path) {
      report.fail(path.error().what);
      continue;
    }
    const auto version = output_of(*path, {"--version"}, setting.environment_without_keys());
    const std::string wanted = std::string(tool) + " " MAGI_VERSION "\n";
    if (version && version->status == 0 && version->text == wanted)
      report.ok(*path);
    else
      report.fail(*path + ": not version " MAGI_VERSION);
  }
}

std::string in_one_line(std::string_view lines) {
  std::string text;
  for (const char c : lines.substr(0, lines.find_last_not_of('\n') + 1))
    text += c == '\n' ? std::string(", ") : std::string(1, c);
  return text;
}

// As a command of a session here would be confined.
void check_confinement(const Setting& setting, Report& report) {
  const auto path = setting.tool_path().find("magi-confine");
  if (!path) return;
  const config::PermissionSettings& permissions = setting.settings.permissions;
  std::vector<std::string> args{"--probe", "--means", permissions.confinement, "--write", setting.cwd};
  for (const std::string& hidden : {setting.home.auth(), setting.home.sessions(), setting.home.checkpoints()})
    args.insert(args.end(), {"--hide", hidden});
  if (!permissions.network) args.emplace_back("--no-network");
  const auto probe = output_of(*path, std::move(args), setting.environment_without_keys());
  if (!probe || probe->status != 0)
    return report.note(
        "commands cannot be confined here (no Landlock, no usable bubblewrap): they are refused without your word, a "
        "rule, or --permissions full");
  report.ok("commands are confined: " + in_one_line(probe->text));
  if (probe->text.find("signals partly") != std::string::npos)
    report.note(
        "commands can send signals to your other processes: this kernel does not confine that (Linux 6.12 does)");
  if (permissions.network) report.note("commands may use the network (permissions.network)");
}

void check_permissions(const Setting& setting, Report& report) {
  const std::size_t rules = setting.settings.permissions.allow.size() + setting.options.allow.size();
  const auto& hooks = setting.settings.hooks;
  report.ok("permissions " + setting.permissions() + ", " + std::to_string(rules) + " allow rules, " +
            std::to_string(hooks.size()) + " hooks");
  permit::Permissions all(setting.cwd);
  if (const auto valid = all.add(setting.settings.permissions.allow, "permissions.allow"); !valid)
    report.fail(valid.error().what);
  for (const auto& [name, hook] : hooks)
    if (!hook.argv.empty() && ::access(hook.argv.front().c_str(), X_OK) != 0)
      report.fail("hook " + name + ": " + quoted(hook.argv.front()) + " cannot be run");
  if (const auto& question = setting.settings.trust; question && question->trusted)
    report.ok("this folder's settings are trusted: " + std::to_string(question->entries.size()) + " entries");
}

void check_provider(const Setting& setting, Report& report) {
  const Options& o = setting.options;
  const auto choice = config::choose_provider(setting.settings, setting.environment, {o.provider, o.model, o.base_url},
                                              setting.home.auth());
  if (choice)
    report.ok("provider " + choice->id + (choice->model.empty() ? "" : ", model " + choice->model) +
              (choice->base_url.empty() ? "" : ", " + choice->base_url));
  else
    report.note(choice.error().what);
}

// What magi-provider says of the accounts; a claude that is not installed is not spoken of.
void check_logins(const Setting& setting, Report& report) {
  constexpr std::string_view kLogin = "login: ", kLoggedIn = "logged in";
  const auto provider = setting.tool_path().find("magi-provider");
  for (const std::string id : {"openai-codex", "claude-subscription"}) {
    if (!provider) return;
    const auto status = output_of(*provider, {"--home", setting.home.root(), "--provider", id, "--status"},
                                  setting.environment_without_keys());
    const std::size_t line = status && status->status == 0 ? status->text.find(kLogin) : std::string::npos;
    if (line == std::string::npos) continue;
    const std::size_t begin = line + kLogin.size();
    const std::string state = status->text.substr(begin, status->text.find('\n', begin) - begin);
    if (state.starts_with(kLoggedIn))
      report.ok(id + ": " + state);
    else
      report.note(id + ": " + state);
  }
}

void look_for_servers(const Setting& setting, Report& report) {
  const auto provider = setting.tool_path().find("magi-provider");
  for (const LocalServer& server : kLocalServers) {
    if (!provider || !listens(server.port)) continue;
    const std::string url = "http://127.0.0.1:" + std::to_string(server.port) + "/v1";
    const auto models = output_of(*provider, {"--home", setting.home.root(), "--base-url", url, "--list-models"},
                                  setting.environment_without_keys());
    if (!models || models->status != 0 || models->text.empty()) continue;
    const std::string model = models->text.substr(0, models->text.find_first_of(" \t\n"));
    report.ok("a model server (" + std::string(server.program) +
              "'s port) answers; use it with: magi-code --base-url " + url + " --model " + model + " -p '...'");
  }
}

}  // namespace

Result<int> run_doctor(const Setting& setting) {
  Report report;
  report.ok("magi-code " MAGI_VERSION ", home " + setting.home.root());
  for (const std::string& warning : setting.settings.warnings) report.note(warning);
  check_tools(setting, report);
  check_confinement(setting, report);
  check_permissions(setting, report);
  check_provider(setting, report);
  check_logins(setting, report);
  look_for_servers(setting, report);
  return report.finish();
}

}  // namespace magi::code
