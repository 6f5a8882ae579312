#include "libcommon/session/removal.h"

#include <cerrno>
#include <cstring>

#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/lease.h"
#include "libcommon/os/mutation_lock.h"

namespace magi::session {
namespace {

// 0 or an errno value; what is not there counts as removed.
int unlink_in(const os::Dir& folder, const std::string& name, int flags = 0) {
  if (os::disk().unlinkat(folder.fd(), name.c_str(), flags) == 0 || errno == ENOENT) return 0;
  return errno;
}

void remove_or_count(const os::Dir& folder, const std::string& name, FailureCounts& failures, int flags = 0) {
  if (const int why = unlink_in(folder, name, flags); why != 0) count_failure(failures, failure_category(why));
}

// An archive, or what an interrupted rotation or replacement left.
bool is_own_name(std::string_view name) { return name.starts_with(os::kTemporaryPrefix) || file::is_archive(name); }

void remove_archives(const os::Dir& sessions, const std::string& id, FailureCounts& failures) {
  const auto history = sessions.subdir(file::kHistory, os::IfMissing::kFail);
  const auto own = history ? history->subdir(id, os::IfMissing::kFail) : Result<os::Dir>(history.error());
  if (!own) {
    if (own.error().code != ErrorCode::kNotFound) count_failure(failures, failure_category(own.error()));
    return;
  }
  const auto names = own->names();
  if (!names) return count_failure(failures, failure_category(names.error()));
  bool emptied = true;
  for (const std::string& name : *names) {
    if (is_own_name(name) && own->open_file(name, os::FileUse::kRead)) {
      remove_or_count(*own, name, failures);
    } else {
      count_failure(failures, "unknown_entry");
      emptied = false;
    }
  }
  if (emptied) remove_or_count(*history, id, failures, AT_REMOVEDIR);
}

// Everything but the session file, the locks last.
void remove_company(const os::Dir& sessions, const os::Dir& locks, std::string_view id, FailureCounts& failures) {
  remove_or_count(sessions, file::sidecar(id), failures);
  remove_or_count(sessions, file::review(id), failures);
  remove_archives(sessions, std::string(id), failures);
  remove_or_count(locks, file::mutation(id), failures);
  remove_or_count(locks, file::lease(id), failures);
}

}  // namespace

void count_failure(FailureCounts& failures, std::string_view category) {
  const auto [at, added] = failures.try_emplace(std::string(category), 0);
  ++at->second;
}

std::string_view failure_category(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
    case EROFS: return "permission_denied";
    case ENOENT: return "not_found";
    case ELOOP:
    case EISDIR:
    case ENOTDIR: return "unsafe";
    case ENOTEMPTY:
    case EEXIST: return "unknown_entry";
    default: return "io";
  }
}

std::string_view failure_category(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kUnsafe: return "unsafe";
    case ErrorCode::kBusy: return "busy";
    default: break;
  }
  // errno_error() ends with the system's own words.
  for (const int refused : {EACCES, EPERM, EROFS})
    if (error.what.ends_with(std::strerror(refused))) return failure_category(refused);
  return "io";
}

Result<bool> has_live_writer(const os::Dir& sessions, std::string_view id) {
  const auto locks = sessions.subdir(file::kLocks, os::IfMissing::kFail);
  if (!locks && locks.error().code == ErrorCode::kNotFound) return false;
  if (!locks) return locks.error();
  const auto stamp = locks->stamp(file::lease(id));
  if (!stamp && stamp.error().code == ErrorCode::kNotFound) return false;
  if (!stamp) return stamp.error();
  const auto lease = os::Lease::acquire(*locks, file::lease(id), 0);
  if (lease) return false;
  return lease.error().code == ErrorCode::kBusy ? Result<bool>(true) : lease.error();
}

Result<Removal> remove_session(const os::Dir& sessions, std::string_view id, const IsDoomed& is_doomed,
                               FailureCounts& failures) {
  MAGI_CHECK(check_session_id(id));
  const std::string name = file::session(id);
  MAGI_TRY(const os::Dir locks, open_locks(sessions));
  MAGI_TRY(const os::Lease lease, os::Lease::acquire(locks, file::lease(id), 0));
  MAGI_TRY(os::MutationLock mutation, os::MutationLock::open(locks, file::mutation(id)));
  MAGI_TRY(const os::MutationLock::Held held, mutation.acquire(os::MutationLock::Mode::kExclusive));
  MAGI_TRY(const os::Fd session, sessions.open_file(name, os::FileUse::kRead));
  MAGI_TRY(const bool doomed, is_doomed(session.get()));
  if (!doomed) return Removal::kKept;
  MAGI_TRY(const os::FileStamp asked, os::stamp_of(session.get(), name));
  MAGI_TRY(const os::FileStamp named, sessions.stamp(name));
  if (!named.same_file(asked)) return Removal::kKept;
  if (const int why = unlink_in(sessions, name); why != 0) return errno_error("cannot remove a session", why);
  remove_company(sessions, locks, id, failures);
  return Removal::kRemoved;
}

Result<bool> remove_remains(const os::Dir& sessions, std::string_view id, FailureCounts& failures) {
  MAGI_CHECK(check_session_id(id));
  MAGI_TRY(const os::Dir locks, open_locks(sessions));
  const auto lease = os::Lease::acquire(locks, file::lease(id), 0);
  if (!lease && lease.error().code == ErrorCode::kBusy) return false;
  if (!lease) return lease.error();
  MAGI_TRY(os::MutationLock mutation, os::MutationLock::open(locks, file::mutation(id)));
  MAGI_TRY(const os::MutationLock::Held held, mutation.acquire(os::MutationLock::Mode::kExclusive));
  const auto there = sessions.stamp(file::session(id));
  if (there) return false;
  if (there.error().code != ErrorCode::kNotFound) return there.error();
  remove_company(sessions, locks, id, failures);
  return true;
}

}  // namespace magi::session
