#include "libcommon/session/store.h"

#include <algorithm>
#include <map>

#include "libcommon/session/sidecar.h"
#include "libcommon/session/worktree.h"

namespace magi::session {
namespace {

Result<SessionInfo> describe(const os::Dir& sessions, std::string_view id) {
  MAGI_TRY(const os::FileStamp stamp, sessions.stamp(file::session(id)));
  MAGI_TRY(SessionFacts facts, facts_of(sessions, id, stamp));
  SessionInfo info{std::string(id), std::move(facts), stamp.length, stamp.mtime_ns / 1'000'000, 0};
  info.order_ms = info.facts.newest_visible_ms;
  if (info.order_ms == 0) info.order_ms = info.facts.newest_ms;
  if (info.order_ms == 0) info.order_ms = info.mtime_ms;
  return info;
}

// Two in the same millisecond: the greater ID, so that every run answers alike.
bool is_newer(const SessionInfo& a, const SessionInfo& b) {
  return a.order_ms != b.order_ms ? a.order_ms > b.order_ms : a.id > b.id;
}

}  // namespace

Result<SessionList> list_sessions(const Home& home, Family family) {
  SessionList list;
  auto sessions = open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return list;
  if (!sessions) return std::move(sessions.error());
  MAGI_TRY(const std::vector<std::string> names, sessions->names());
  for (const std::string& name : names) {
    const std::string_view id = file::session_id_of(name);
    if (id.empty()) continue;
    auto info = describe(*sessions, id);
    if (info)
      list.sessions.push_back(std::move(*info));
    else if (info.error().code != ErrorCode::kNotFound)
      list.unreadable.push_back(std::move(info.error()));
  }
  std::sort(list.sessions.begin(), list.sessions.end(), is_newer);
  return list;
}

Result<SessionInfo> find_session(const Home& home, std::string_view id, Family family) {
  MAGI_CHECK(check_session_id(id));
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  auto sessions = open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return std::move(sessions.error());
  auto info = describe(*sessions, id);
  if (!info && info.error().code == ErrorCode::kNotFound) return missing();
  return info;
}

Result<std::optional<SessionInfo>> latest_eligible(const Home& home, const std::string& cwd) {
  MAGI_TRY(SessionList list, list_sessions(home));
  const std::string wanted = worktree_of(cwd);
  std::map<std::string, std::string> known;  // folder -> working tree
  for (SessionInfo& info : list.sessions) {
    if (!info.facts.eligible) continue;
    if (info.facts.worktree.empty()) {
      const auto [at, added] = known.try_emplace(info.facts.cwd);
      if (added) at->second = worktree_of(info.facts.cwd);
      info.facts.worktree = at->second;
    }
    if (info.facts.worktree == wanted) return std::optional(std::move(info));
  }
  return std::optional<SessionInfo>();
}

}  // namespace magi::session
