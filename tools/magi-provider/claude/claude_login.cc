#include "tools/magi-provider/claude/claude_login.h"

#include "libcommon/base/clock.h"
#include "libcommon/config/provider_choice.h"
#include "libcommon/json/node.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kPatienceNs = 10'000'000'000;
constexpr std::size_t kMaxOutputBytes = 64 * 1024;

std::optional<bool> flag(const json::Node& root) {
  const auto value = root.find("loggedIn").as_bool();
  return value ? value : root.find("logged_in").as_bool();
}

}  // namespace

ClaudeLogin read_claude_login(std::string_view output, int exit_status, std::string_view complaint) {
  ClaudeLogin login;
  json::Parser parser;
  const auto root = parser.parse(output);
  const auto said = root ? flag(*root) : std::nullopt;
  if (!said && exit_status != 0) {
    const std::string why = one_line(complaint.empty() ? output : complaint);
    login.problem = "`claude auth status` failed" + (why.empty() ? "" : ": " + why);
    return login;
  }
  // Versions that print no JSON tell by their exit status alone.
  login.logged_in = said.value_or(exit_status == 0);
  if (root) login.plan = one_line(root->find("subscriptionType").as_string().value_or(""));
  return login;
}

std::vector<std::string> claude_environment(const config::Settings& settings, const config::Environment& environment) {
  std::vector<std::string_view> names{"ANTHROPIC_AUTH_TOKEN", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"};
  const std::vector<std::string> keys = config::provider_key_variables(settings);
  names.insert(names.end(), keys.begin(), keys.end());
  return environment.entries_without(names);
}

Result<ClaudeLoginCheck> ClaudeLoginCheck::start(const std::string& program, const std::vector<std::string>& env) {
  ClaudeProcess::Start start{program, {"auth", "status"}, env, {}};
  MAGI_TRY(ClaudeProcess process, ClaudeProcess::start(start));
  process.close_input();
  return ClaudeLoginCheck(std::move(process));
}

ClaudeLoginCheck::ClaudeLoginCheck(ClaudeProcess process)
    : process_(std::move(process)), deadline_ns_(monotonic_ns() + kPatienceNs) {}

std::optional<ClaudeLogin> ClaudeLoginCheck::step() {
  process_.step();
  while (const auto line = process_.next_line())
    if (output_.size() < kMaxOutputBytes) output_.append(*line).append("\n");
  if (process_.at_end()) return read_claude_login(output_, process_.exit_status(), process_.complaint());
  if (monotonic_ns() < deadline_ns_) return std::nullopt;
  ClaudeLogin login;
  login.problem = "`claude auth status` did not end";
  return login;
}

std::string claude_login_state(const config::Environment& environment) {
  const auto program = os::find_executable("claude", environment.get_or("PATH", ""));
  if (!program) return "no claude is installed";
  auto check = ClaudeLoginCheck::start(*program, claude_environment({}, environment));
  if (!check) return check.error().what;
  while (true) {
    if (const auto login = check->step()) {
      if (!login->problem.empty()) return login->problem;
      if (!login->logged_in) return "nobody is logged in: claude auth login";
      return "logged in" + (login->plan.empty() ? "" : ", plan " + login->plan);
    }
    std::vector<pollfd> watched;
    check->watch(watched);
    ::poll(watched.data(), watched.size(), 1000);
  }
}

}  // namespace magi::provider
