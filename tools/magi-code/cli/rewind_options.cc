#include "tools/magi-code/cli/rewind_options.h"

namespace magi::code {

RewindCommands::RewindCommands(tool::Options& parser, RewindOptions& o) {
  auto& changes = parser.subcommand("changes", "list the files that the tools of a session changed");
  changes.operand("ID", o.id, "session; none: the latest of this worktree");
  changes.flag("--json", o.json, "one JSON object");
  changes_ = &changes;
  auto& rewind = parser.subcommand("rewind", "take back what a session's tools changed, its conversation, or both");
  rewind.operand("ID", o.id, "session").required();
  rewind.option("--to", o.to, "EVENT", "to before this prompt, or before this rewind (default: the last prompt)");
  rewind.flag("--files", o.files, "only the files").conflicts_with({"--conversation", "--both"});
  rewind.flag("--conversation", o.conversation, "only the conversation, as a new session").conflicts_with({"--both"});
  rewind.flag("--both", o.both, "files and conversation (default)");
  rewind.flag("-n,--dry-run", o.dry_run, "list what would be done");
  rewind.flag("--force", o.force, "take back what others changed later, too");
  rewind.flag("-y,--yes", o.yes, "do not ask");
  rewind.flag("--json", o.json, "one JSON object; asks nothing");
  rewind_ = &rewind;
}

bool RewindCommands::changes_chosen() const { return changes_->chosen(); }
bool RewindCommands::rewind_chosen() const { return rewind_->chosen(); }

}  // namespace magi::code
