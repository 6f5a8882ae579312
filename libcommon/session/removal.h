// Deleting a session with all that is its own (requirements N2, N3).  Irrevocable.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/safe_open.h"
#include "libcommon/session/paths.h"

namespace magi::session {

// How often each kind of thing went wrong: "permission_denied", "not_found", "unsafe", "unknown_entry", "busy", "io".
// Bounded words, no paths: they may be printed and logged.
using FailureCounts = std::map<std::string, std::int64_t, std::less<>>;

std::string_view failure_category(int error_number);
std::string_view failure_category(const Error& error);

// Says whether the session that is open for reading is to go; asked under the locks that keep writers away.
using IsDoomed = std::function<Result<bool>(int session_fd)>;

enum class Removal {
  kRemoved,  // the session itself is gone; what could not be removed behind it is counted
  kKept,     // `is_doomed` said no, or another session has taken its name meanwhile
};

// Removes session `id` of the folder `sessions`, opened by open_sessions(): the session file first, then its sidecar,
// its review comments, its archives (files of other names stay, and so does their folder), last its lock files.  Its
// ledger is the caller's to remove then (ledger.h), for many sessions in one go.  Takes the lease without waiting and
// the mutation lock within its bound.  Errors, with nothing removed: kBusy (a live writer), kUnsafe, kNotFound, kIo.
Result<Removal> remove_session(const os::Dir& sessions, std::string_view id, const IsDoomed& is_doomed,
                               FailureCounts& failures);

// Removes what a deletion that was cut short has left of a session whose file is not there any more: true where it may
// go, false where there is a session or a writer after all.
Result<bool> remove_remains(const os::Dir& sessions, std::string_view id, FailureCounts& failures);

// Whether a process may append to the session at this moment.  Creates nothing.
Result<bool> has_live_writer(const os::Dir& sessions, std::string_view id);

void count_failure(FailureCounts& failures, std::string_view category);

}  // namespace magi::session
