#include "tools/magi-code/cli/sessions_options.h"

namespace magi::code {

SessionsCommands::SessionsCommands(tool::Options& parser, SessionsOptions& o) : options_(o) {
  using Verb = SessionsOptions::Verb;
  auto& sessions = parser.subcommand("sessions", "look at stored sessions and manage them");
  sessions.require_subcommand();
  const auto verb = [&](Verb value, const char* name, const char* description) -> tool::Options& {
    auto& added = sessions.subcommand(name, description);
    verbs_.emplace_back(&added, value);
    return added;
  };
  auto& list = verb(Verb::kList, "list", "list sessions, newest first");
  list.flag("--json", o.json, "one JSON object a line");
  auto& search = verb(Verb::kSearch, "search", "list sessions with TEXT in their title or a prompt");
  search.operand("TEXT", o.text, "what to look for; capitals do not matter").required();
  search.flag("--json", o.json, "one JSON object a line");
  auto& show = verb(Verb::kShow, "show", "print what is known of a session and its transcript");
  show.operand("ID", o.id, "session").required();
  show.flag("--json", o.json, "one JSON object, without the transcript");
  auto& rename = verb(Verb::kRename, "rename", "give a session another title");
  rename.operand("ID", o.id, "session").required();
  rename.operand("TITLE", o.text, "the title").required();
  auto& remove = verb(Verb::kDelete, "delete", "delete sessions with all that is theirs");
  remove.operand("ID", o.ids, "sessions").required();
  auto& fork = verb(Verb::kFork, "fork", "begin a new session as another one does; prints its ID");
  fork.operand("ID", o.id, "session").required();
  fork.option("--before", o.before, "EVENT_ID", "leave out this event and what follows it");
  fork.flag("--json", o.json, "one JSON object");
  auto& import = verb(Verb::kImport, "import", "begin a session from one of another program; prints its ID");
  import.operand("FILE", o.file, "session file of codex, claude or pi").required();
  import.option("--from", o.from, "PROGRAM", "codex, claude or pi, where the file does not tell")
      .choices({"codex", "claude", "pi"});
  import.flag("--json", o.json, "one JSON object");
  auto& repair = verb(Verb::kRepairPermissions, "repair-permissions", "make sessions private again");
  repair.flag("--dry-run", o.dry_run, "list what would be repaired, and change nothing");
  repair.flag("--yes", o.yes, "repair without asking").conflicts_with({"--dry-run"});
  repair.flag("--json", o.json, "one JSON object instead of a table");
}

bool SessionsCommands::take_verb() {
  for (const auto& [command, verb] : verbs_)
    if (command->chosen()) options_.verb = verb;
  return options_.verb != SessionsOptions::Verb::kNone;
}

}  // namespace magi::code
