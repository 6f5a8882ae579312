// Which names belong where under a home, as far as sessions are concerned (magi-session(5)).
#pragma once

#include <optional>
#include <string_view>

namespace magi::perms {

enum class Place {
  kHome,
  kSessions,
  kChildren,
  kHistory,   // a folder for each session
  kArchives,  // of one session
  kSessionLocks,
  kCheckpoints,
  kBlobs,
  kLedgerLocks,
  kFile,  // no folder
};

// What an entry called `name` in the folder `parent` is: a file, or a folder of the kind that is returned.  Nothing
// where no such name belongs there.
std::optional<Place> place_of(Place parent, std::string_view name);

// The home holds much that is no session's: settings, keys, caches.
inline bool ignores_others(Place parent) { return parent == Place::kHome; }

}  // namespace magi::perms
