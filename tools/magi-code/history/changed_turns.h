// What the tools of a session changed, turn by turn, from its ledger (requirement F1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/history/timeline.h"

namespace magi::code {

struct ChangedFile {
  const session::Change* first = nullptr;
  const session::Change* last = nullptr;
  std::int64_t changes = 0;

  // "created", "modified", "deleted", "transient".
  std::string_view status() const;
};

struct ChangedTurn {
  std::string turn_id;
  const Moment* moment = nullptr;  // null: its prompt is no longer in the session (compaction)
  std::vector<ChangedFile> files;  // in the order of their first change
};

// Points into both.
std::vector<ChangedTurn> group_by_turn(const std::vector<session::Change>& changes, const Timeline& timeline);

std::size_t count_files(const std::vector<ChangedTurn>& turns);

// Relative to the session's folder where the file lies in it.
std::string shown_path(const session::Change& change, const std::string& cwd);

}  // namespace magi::code
