// What the prompt editor offers behind a trigger.
#include "tools/magi-code/tui/app/steps.h"
#include "tools/magi-code/tui/panel/command_table.h"

namespace magi::code::tui {
namespace {

std::shared_ptr<const Candidates> commands() {
  auto candidates = std::make_shared<Candidates>();
  for (const SlashCommand& command : slash_commands()) {
    const std::string arguments = command.arguments.empty() ? "" : std::string(command.arguments) + "  ";
    candidates->push_back(
        {std::string(command.name), arguments + std::string(command.meaning), !command.arguments.empty()});
  }
  return candidates;
}

std::shared_ptr<const Candidates> tags() {
  return std::make_shared<Candidates>(
      Candidates{{"diff-changes", "the open comments on the worktree's changes, from /diff", false}});
}

}  // namespace

Requests offer_candidates(State& state) {
  const auto query = state.editor.completion_query();
  if (!query) {
    state.files_wanted = false;
    return {};
  }
  switch (query->trigger) {
    case '/': state.editor.set_candidates('/', commands()); return {};
    case '#': state.editor.set_candidates('#', tags()); return {};
    case '@':
      if (state.files) state.editor.set_candidates('@', state.files);
      break;
    case '$':
      if (state.skills) state.editor.set_candidates('$', state.skills);
      break;
    default: return {};
  }
  // Listed anew once for each time that somebody begins to complete.
  if (std::exchange(state.files_wanted, true)) return {};
  return {WorkerTask(ListCandidates{query->trigger})};
}

}  // namespace magi::code::tui
