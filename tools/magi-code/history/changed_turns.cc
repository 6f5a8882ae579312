#include "tools/magi-code/history/changed_turns.h"

#include <map>
#include <set>

namespace magi::code {

using session::Change;

std::string_view ChangedFile::status() const {
  if (!first->before) return last->after ? "created" : "transient";
  return last->after ? "modified" : "deleted";
}

std::vector<ChangedTurn> group_by_turn(const std::vector<Change>& changes, const Timeline& timeline) {
  std::vector<ChangedTurn> turns;
  std::map<std::string, std::size_t> index;
  for (const Change& change : changes) {
    if (turns.empty() || turns.back().turn_id != change.turn_id) {
      turns.push_back({change.turn_id, timeline.of_turn(change.turn_id), {}});
      index.clear();
    }
    std::vector<ChangedFile>& files = turns.back().files;
    const auto [known, is_new] = index.emplace(change.absolute(), files.size());
    if (is_new) files.push_back({&change, nullptr, 0});
    files[known->second].last = &change;
    ++files[known->second].changes;
  }
  return turns;
}

std::size_t count_files(const std::vector<ChangedTurn>& turns) {
  std::set<std::string> files;
  for (const ChangedTurn& turn : turns)
    for (const ChangedFile& file : turn.files) files.insert(file.first->absolute());
  return files.size();
}

std::string shown_path(const Change& change, const std::string& cwd) {
  return change.root == cwd ? change.path : change.absolute();
}

}  // namespace magi::code
