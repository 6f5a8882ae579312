#include "tools/magi-perms/layout.h"

#include "libcommon/os/atomic_file.h"
#include "libcommon/session/blob_store.h"
#include "libcommon/session/paths.h"

namespace magi::perms {
namespace {

namespace file = session::file;

bool is_id_with(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) && session::is_valid_session_id(name.substr(0, name.size() - suffix.size()));
}

std::optional<Place> among_sessions(std::string_view name, bool children) {
  if (name == file::kHistory) return Place::kHistory;
  if (name == file::kLocks) return Place::kSessionLocks;
  if (!children && name == file::kChildren) return Place::kChildren;
  const bool is_file = is_id_with(name, file::kSessionSuffix) || is_id_with(name, file::kSidecarSuffix) ||
                       is_id_with(name, file::kReviewSuffix) || (!children && name == file::kEventIds);
  return is_file ? std::optional(Place::kFile) : std::nullopt;
}

std::optional<Place> file_if(bool belongs) { return belongs ? std::optional(Place::kFile) : std::nullopt; }

}  // namespace

std::optional<Place> place_of(Place parent, std::string_view name) {
  if (parent != Place::kHome && name.starts_with(os::kTemporaryPrefix)) return Place::kFile;
  switch (parent) {
    case Place::kHome:
      if (name == file::kSessions) return Place::kSessions;
      return name == file::kCheckpoints ? std::optional(Place::kCheckpoints) : std::nullopt;
    case Place::kSessions: return among_sessions(name, false);
    case Place::kChildren: return among_sessions(name, true);
    case Place::kHistory: return session::is_valid_session_id(name) ? std::optional(Place::kArchives) : std::nullopt;
    case Place::kArchives: return file_if(file::is_archive(name));
    case Place::kSessionLocks:
      return file_if(name == file::kEventIdsLock || is_id_with(name, file::lease("")) ||
                     is_id_with(name, file::mutation("")));
    case Place::kCheckpoints:
      if (name == file::kBlobs) return Place::kBlobs;
      if (name == file::kLocks) return Place::kLedgerLocks;
      return file_if(is_id_with(name, file::kSessionSuffix));
    case Place::kBlobs: return file_if(session::is_digest(name));
    case Place::kLedgerLocks: return file_if(name == file::kLedgersLock);
    case Place::kFile: break;
  }
  return std::nullopt;
}

}  // namespace magi::perms
