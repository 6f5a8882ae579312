#include "libcommon/session/store.h"

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <thread>

#include "libcommon/session/sidecar.h"
#include "libcommon/session/worktree.h"

namespace magi::session {
namespace {

Result<SessionInfo> describe(const os::Dir& sessions, std::string_view id, json::Parser& parser) {
  MAGI_TRY(const os::FileStamp stamp, sessions.stamp(file::session(id)));
  MAGI_TRY(SessionFacts facts, facts_of(sessions, id, stamp, parser));
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

// What every `step`th name from `first` on stands for.
SessionList describe_some(const os::Dir& sessions, const std::vector<std::string>& names, std::size_t first,
                          std::size_t step) {
  SessionList list;
  json::Parser parser;
  for (std::size_t i = first; i < names.size(); i += step) {
    auto info = describe(sessions, file::session_id_of(names[i]), parser);
    if (info)
      list.sessions.push_back(std::move(*info));
    else if (info.error().code != ErrorCode::kNotFound)
      list.unreadable.push_back(std::move(info.error()));
  }
  return list;
}

template <class T>
void append_moved(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// By their places: an entry is large.
void sort_newest_first(std::vector<SessionInfo>& sessions) {
  std::vector<std::size_t> order(sessions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return is_newer(sessions[a], sessions[b]); });
  std::vector<SessionInfo> sorted;
  sorted.reserve(sessions.size());
  for (const std::size_t at : order) sorted.push_back(std::move(sessions[at]));
  sessions = std::move(sorted);
}

}  // namespace

Result<SessionList> list_sessions(const Home& home, Family family) {
  auto sessions = open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return SessionList();
  if (!sessions) return std::move(sessions.error());
  MAGI_TRY(std::vector<std::string> names, sessions->names());
  std::erase_if(names, [](const std::string& name) { return file::session_id_of(name).empty(); });
  // The time goes into system calls, one by one for each session; a thread costs as much as some ten of them.
  constexpr std::size_t kWorthAThread = 500, kMostThreads = 4;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = std::min({cores, kMostThreads, names.size() / kWorthAThread + 1});
  std::vector<std::future<SessionList>> parts;
  for (std::size_t i = 1; i < threads; ++i)
    parts.push_back(std::async(std::launch::async, [&, i] { return describe_some(*sessions, names, i, threads); }));
  SessionList list = describe_some(*sessions, names, 0, threads);
  for (auto& part : parts) {
    SessionList more = part.get();
    append_moved(list.sessions, more.sessions);
    append_moved(list.unreadable, more.unreadable);
  }
  sort_newest_first(list.sessions);
  return list;
}

Result<SessionInfo> find_session(const Home& home, std::string_view id, Family family) {
  MAGI_CHECK(check_session_id(id));
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  auto sessions = open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return std::move(sessions.error());
  json::Parser parser;
  auto info = describe(*sessions, id, parser);
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
