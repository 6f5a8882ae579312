// Taking back what tools changed: a plan from a session's ledger and from what stands on the disk now, then one file
// after the other (requirement F1).  Only files that the ledger names are ever looked at or touched, each reached
// through its recorded folder without following a link.
//
// A file counts as the tools' alone where its changes follow on each other without a gap and it stands as the last one
// left it (or found it: that change may not have come to pass).  Anything else is a later edit by others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/ledger.h"

namespace magi::session {

enum class Fate {
  kRestore,      // planned: to hold its old bytes and mode again
  kRemove,       // planned: the tools made it
  kUnchanged,    // stands as before already
  kConflict,     // someone else changed it later; left alone unless forced
  kUnavailable,  // what it held is not kept, or what has its name now is no regular file; always left alone
  kRestored,     // done
  kRemoved,      // done
  kFailed,       // the disk or a permission refused
};
std::string_view fate_name(Fate fate);

struct RewoundFile {
  std::string root, path;
  Fate fate = Fate::kUnchanged;
  std::string reason;                        // of a conflict, of what is unavailable, of a failure
  std::optional<FileState> target, present;  // nothing: no such file
  std::int64_t folders_made = 0;
  bool forced = false;  // a conflict that is taken back all the same

  std::string absolute() const { return root == "/" ? root + path : root + '/' + path; }
  bool is_planned() const { return fate == Fate::kRestore || fate == Fate::kRemove; }
};

// What taking back changes[first] and all that follow means.  `force`: conflicts too.  Reads the files, writes nothing.
std::vector<RewoundFile> plan_rewind(const Home& home, const std::vector<Change>& changes, std::size_t first,
                                     bool force);

// Carries the plan out, file by file, each with a change record of its own under `rewind_id`, so that a rewind can be
// rewound.  A file that changed since the plan was made is a conflict then.  Folders that the tools made go where they
// are empty.  `go_on` is asked before each file.  False where it said no: the rest has failed.
bool apply_rewind(const Home& home, const std::string& session_id, const std::string& rewind_id,
                  std::vector<RewoundFile>& files, const std::function<bool()>& go_on);

}  // namespace magi::session
