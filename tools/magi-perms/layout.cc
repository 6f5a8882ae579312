#include "tools/magi-perms/layout.h"

#include <algorithm>

#include "libcommon/session/paths.h"

namespace magi::perms {
namespace {

namespace file = session::file;

// Of a replacement or rotation that was interrupted.
constexpr std::string_view kTemporary = ".tmp.";

bool is_id_with(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) && session::is_valid_session_id(name.substr(0, name.size() - suffix.size()));
}

bool consists_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_archive(std::string_view name) {
  return name.ends_with(file::kSessionSuffix) &&
         consists_of(name.substr(0, name.size() - file::kSessionSuffix.size()), "0123456789");
}

bool is_blob(std::string_view name) { return name.size() == 64 && consists_of(name, "0123456789abcdef"); }

std::optional<Place> among_sessions(std::string_view name, bool children) {
  if (name == file::kHistory) return Place::kHistory;
  if (name == file::kLocks) return Place::kSessionLocks;
  if (!children && name == file::kChildren) return Place::kChildren;
  const bool is_file = is_id_with(name, file::kSessionSuffix) || is_id_with(name, file::kSidecarSuffix) ||
                       (!children && name == file::kEventIds);
  return is_file ? std::optional(Place::kFile) : std::nullopt;
}

std::optional<Place> file_if(bool belongs) { return belongs ? std::optional(Place::kFile) : std::nullopt; }

}  // namespace

std::optional<Place> place_of(Place parent, std::string_view name) {
  if (parent != Place::kHome && name.starts_with(kTemporary)) return Place::kFile;
  switch (parent) {
    case Place::kHome:
      if (name == file::kSessions) return Place::kSessions;
      return name == file::kCheckpoints ? std::optional(Place::kCheckpoints) : std::nullopt;
    case Place::kSessions: return among_sessions(name, false);
    case Place::kChildren: return among_sessions(name, true);
    case Place::kHistory: return session::is_valid_session_id(name) ? std::optional(Place::kArchives) : std::nullopt;
    case Place::kArchives: return file_if(is_archive(name));
    case Place::kSessionLocks:
      return file_if(name == file::kEventIdsLock || is_id_with(name, file::lease("")) ||
                     is_id_with(name, file::mutation("")));
    case Place::kCheckpoints:
      if (name == file::kBlobs) return Place::kBlobs;
      if (name == file::kLocks) return Place::kLedgerLocks;
      return file_if(is_id_with(name, file::kSessionSuffix));
    case Place::kBlobs: return file_if(is_blob(name));
    case Place::kLedgerLocks: return file_if(name == file::kLedgersLock);
    case Place::kFile: break;
  }
  return std::nullopt;
}

}  // namespace magi::perms
