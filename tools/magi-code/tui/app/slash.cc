#include <algorithm>

#include "tools/magi-code/tui/app/steps.h"
#include "tools/magi-code/tui/panel/command_table.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kBlanks = " \t\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// "/hlep" and "/hlep me", but not "/usr/bin is full": a path is for the model.
bool looks_like_command(std::string_view word) {
  return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
}

// A command that failed is a diagnostic of the session (S4).
Requests refuse(State& state, std::string text) {
  Requests requests{EngineCommand(RecordDiagnostic{"error", text})};
  tell(state, std::move(text), true);
  return requests;
}

bool is_days(std::string_view text) {
  return text.empty() || (text.size() <= 6 && text.find_first_not_of("0123456789") == std::string_view::npos &&
                          text.find_first_not_of('0') != std::string_view::npos);
}

Requests compact(State& state, std::string_view instructions) {
  if (!state.session.stored) return refuse(state, "this session is not stored, so it cannot be compacted");
  state.phase = Phase::kCompacting;
  state.run = {};
  state.run.started_ms = state.now_ms;
  return {EngineCommand(Compact{std::string(instructions)})};
}

Requests sign(State& state, std::string_view option, std::string_view arguments) {
  std::vector<std::string> words{std::string(option)};
  const std::string provider = arguments.empty() ? state.session.provider : std::string(arguments);
  if (!provider.empty()) words.back() += "=" + provider;
  return {TerminalWish(RunOnTerminal{"magi-provider", std::move(words)})};
}

Requests act(State& state, std::string_view name, std::string_view arguments) {
  if (name == "new") return carry_out(state, {OpenSession{}});
  if (name == "resume") {
    if (arguments.empty()) return open_panel(state, "sessions", {});
    return carry_out(state, {OpenSession{std::string(arguments), false}});
  }
  if (name == "compact") return compact(state, arguments);
  if (name == "export") {
    tell(state, "exporting...");
    return {WorkerTask(ExportSession{})};
  }
  if (name == "prune-sessions") {
    if (!is_days(arguments))
      return refuse(state, "/prune-sessions takes a number of days, at least 1; nothing was deleted");
    tell(state, "pruning...");
    return {WorkerTask(PruneSessions{std::string(arguments)})};
  }
  if (name == "login") return sign(state, "--login", arguments);
  if (name == "logout") return sign(state, "--logout", arguments);
  if (name == "quit" || name == "exit") return {TerminalWish(Leave{})};
  return refuse(state, "/" + std::string(name) + " cannot be done here");
}

}  // namespace

bool is_busy(const State& state) { return state.phase == Phase::kRunning || state.phase == Phase::kCompacting; }

Requests run_slash(State& state, std::string_view name, std::string_view arguments) {
  const SlashCommand* const command = find_command(name);
  if (!command) return refuse(state, "no command /" + std::string(name) + "; /help lists them");
  if (is_busy(state) && !command->while_running)
    return refuse(state, "/" + std::string(command->name) + " has to wait until the turn has ended (Esc stops it)");
  if (command->kind == CommandKind::kPanel)
    return open_panel(state, command->panel.empty() ? command->name : command->panel, arguments);
  return act(state, command->name, arguments);
}

Requests obey_line(State& state, std::string_view line) {
  const std::string_view text = trimmed(line.substr(1));
  const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
  const std::string_view name = text.substr(0, end);
  if (!looks_like_command(name) && !name.empty()) return send_prompt(state, std::string(line));
  if (name.empty()) return open_panel(state, "help", {});
  return run_slash(state, name, trimmed(text.substr(end)));
}

}  // namespace magi::code::tui
