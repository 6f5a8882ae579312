#include "tools/magi-prune/remains.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <set>
#include <string>

namespace magi::prune {
namespace {

using session::Family;
namespace file = session::file;

using Ids = std::set<std::string, std::less<>>;
using IdOf = std::string_view (*)(std::string_view name);

bool is_missing(const os::Dir& sessions, std::string_view id) {
  const auto there = sessions.stamp(file::session(id));
  return !there && there.error().code == ErrorCode::kNotFound;
}

// Adds the IDs of those names in `folder` whose session is gone and that are old enough.
void collect(const os::Dir& sessions, const os::Dir& folder, IdOf id_of, std::int64_t cut_off_ms, Ids& gone) {
  const auto names = folder.names();
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string_view id = id_of(name);
    if (id.empty() || gone.contains(id) || !is_missing(sessions, id)) continue;
    struct stat status {};
    if (::fstatat(folder.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        status.st_mtim.tv_sec * 1000 < cut_off_ms)
      gone.emplace(id);
  }
}

void remove_of_family(const session::Home& home, Family family, std::int64_t cut_off_ms,
                      session::FailureCounts& failures) {
  const auto sessions = session::open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions) return;
  Ids gone;
  collect(*sessions, *sessions, &file::id_of_company, cut_off_ms, gone);
  if (const auto locks = sessions->subdir(file::kLocks, os::IfMissing::kFail))
    collect(*sessions, *locks, &file::id_of_company, cut_off_ms, gone);
  if (const auto history = sessions->subdir(file::kHistory, os::IfMissing::kFail))
    collect(
        *sessions, *history,
        [](std::string_view name) { return session::is_valid_session_id(name) ? name : std::string_view(); },
        cut_off_ms, gone);
  for (const std::string& id : gone)
    if (const auto removed = session::remove_remains(*sessions, id, failures); !removed)
      session::count_failure(failures, session::failure_category(removed.error()));
}

// No session of either family has the name, nor is one being written.
bool is_gone(const session::Home& home, std::string_view id) {
  for (const Family family : {Family::kPrimary, Family::kChild}) {
    const auto sessions = session::open_sessions(home, family, os::IfMissing::kFail);
    if (!sessions && sessions.error().code == ErrorCode::kNotFound) continue;
    if (!sessions || !is_missing(*sessions, id)) return false;
    if (const auto live = session::has_live_writer(*sessions, id); !live || *live) return false;
  }
  return true;
}

void remove_ledgers(const session::Home& home, std::int64_t cut_off_ms, session::LedgerPruning& ledgers,
                    session::FailureCounts& failures) {
  const auto folder = session::open_checkpoints(home, os::IfMissing::kFail);
  const auto names = folder ? folder->names() : Result<std::vector<std::string>>(folder.error());
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string_view id = file::session_id_of(name);
    const auto stamp = folder->stamp(name);
    if (id.empty() || !stamp || stamp->mtime_ns / 1'000'000 >= cut_off_ms || !is_gone(home, id)) continue;
    if (const auto removed = ledgers.remove(id); !removed)
      session::count_failure(failures, session::failure_category(removed.error()));
  }
}

}  // namespace

void remove_remains(const session::Home& home, std::int64_t cut_off_ms, session::LedgerPruning& ledgers,
                    session::FailureCounts& failures) {
  for (const Family family : {Family::kPrimary, Family::kChild}) remove_of_family(home, family, cut_off_ms, failures);
  remove_ledgers(home, cut_off_ms, ledgers, failures);
}

}  // namespace magi::prune
