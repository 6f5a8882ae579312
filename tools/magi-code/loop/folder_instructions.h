// L6: the instructions of a folder reach the model when a tool first touches something in it, behind the results of the
// answer that did.  They are stored (subdir_instruction_load), so that a replay shows them at the same place, and stand
// at the end of the conversation, so that a prompt cache keeps what is before.  After a compaction, which took them out
// of sight, the next touch shows them again.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/magi-code/loop/journal.h"
#include "tools/magi-code/loop/tool_guard.h"

namespace magi::code {

class FolderInstructions : public ToolGuard {
 public:
  // `root`: the working directory, whose own instructions stand in the system prompt.
  FolderInstructions(std::string root, Journal& journal) : root_(std::move(root)), journal_(journal) {}

  void after_store(const event::ToolCall& call, const event::ToolResultEvent& stored, Asker& asker,
                   std::function<void(Result<void>)> then) override;

 private:
  Result<void> load(const std::string& folder, const std::string& turn_id);
  void forget_what_was_compacted();
  void recall();

  std::string root_;
  Journal& journal_;
  std::int64_t generation_ = -1;             // that `shown_` is of
  std::set<std::string> looked_at_, shown_;  // folders below the root; files by their paths
  std::size_t bytes_ = 0;
};

// Folders below `root` that the call's paths lead through, the outermost first; nothing where they lead outside.
std::vector<std::string> touched_folders(const event::ToolCall& call, const std::string& root);

}  // namespace magi::code
