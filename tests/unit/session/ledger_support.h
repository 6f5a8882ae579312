// Changes of files as the tools make them: recorded in a ledger, then published.
#pragma once

#include <string>
#include <vector>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/publish.h"
#include "libcommon/session/checkpoint.h"
#include "libcommon/session/checkpoint_file.h"

namespace magi::test {

inline std::int64_t ledger_clock() { return 1'796'032'800'000; }

// Writes (or, without `bytes`, deletes) a file below `root`, as a tool does in `turn`.
inline Result<void> change_as_tool(session::Ledger& ledger, const std::string& root, const std::string& turn,
                                   const std::string& path, const std::string* bytes) {
  std::int64_t made = 0;
  MAGI_TRY(const session::FoundFile found, session::find_file(root, path, bytes != nullptr, &made));
  session::Change change;
  change.turn_id = turn;
  change.by = "write";
  change.root = root;
  change.path = path;
  change.before = found.state;
  change.folders_made = made;
  std::string old;
  if (found.state) {
    MAGI_TRY(old, session::read_found(found, path));
  }
  const auto record = [&](mode_t mode) {
    if (bytes)
      change.after =
          session::FileState{sha256_hex(*bytes), static_cast<std::int64_t>(bytes->size()), session::mode_text(mode)};
    return ledger.record(change, old);
  };
  if (bytes == nullptr) return os::withdraw(found.folder.get(), found.name, found.status, path, record);
  const os::NewContent content{*bytes, {}, record, false};
  MAGI_CHECK(os::publish(found.folder.get(), found.name, content, found.state ? &found.status : nullptr, path));
  return {};
}

// The plan for everything from the first change of `turn` on, carried out.
inline std::vector<session::RewoundFile> rewind_to(const session::Home& home, const std::string& id,
                                                   const std::string& turn, bool force = false) {
  const auto contents = session::read_ledger(home, id);
  if (!contents) return {};
  std::size_t first = 0;
  while (first < contents->changes.size() && contents->changes[first].turn_id != turn) ++first;
  auto files = session::plan_rewind(home, contents->changes, first, force);
  session::apply_rewind(home, id, "rewind-" + turn, files, [] { return true; });
  return files;
}

}  // namespace magi::test
