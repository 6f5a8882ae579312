#include "libcommon/session/paths.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>

#include "libcommon/base/clock.h"

namespace magi::session {
namespace file {

std::string session(std::string_view id) { return std::string(id).append(kSessionSuffix); }
std::string sidecar(std::string_view id) { return std::string(id).append(kSidecarSuffix); }
std::string review(std::string_view id) { return std::string(id).append(kReviewSuffix); }
std::string lease(std::string_view id) { return std::string(id).append(kLeaseSuffix); }
std::string mutation(std::string_view id) { return std::string(id).append(kMutationSuffix); }
std::string ledger(std::string_view id) { return session(id); }
std::string model_catalog(std::string_view provider) { return std::string(provider) + ".json"; }
std::string archive(std::int64_t generation) { return std::to_string(generation).append(kSessionSuffix); }

bool is_archive(std::string_view name) {
  if (!name.ends_with(kSessionSuffix)) return false;
  name.remove_suffix(kSessionSuffix.size());
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

namespace {

std::string_view id_before(std::string_view suffix, std::string_view file_name) {
  if (!file_name.ends_with(suffix)) return {};
  file_name.remove_suffix(suffix.size());
  return is_valid_session_id(file_name) ? file_name : std::string_view{};
}

}  // namespace

std::string_view session_id_of(std::string_view file_name) { return id_before(kSessionSuffix, file_name); }

std::string_view id_of_company(std::string_view file_name) {
  for (const std::string_view suffix : {kSidecarSuffix, kReviewSuffix, kLeaseSuffix, kMutationSuffix})
    if (const std::string_view id = id_before(suffix, file_name); !id.empty()) return id;
  return {};
}

}  // namespace file

namespace {

constexpr std::string_view kCache = "cache", kModelCatalogs = "model-catalog", kMcpTools = "mcp", kState = "state";

}  // namespace

std::string Home::model_catalog(std::string_view provider) const {
  return in(kCache).append("/").append(kModelCatalogs).append("/") + file::model_catalog(provider);
}

std::string Home::sessions(Family family) const {
  std::string folder = in(file::kSessions);
  if (family == Family::kChild) folder.append("/").append(file::kChildren);
  return folder;
}

std::string Home::session(std::string_view id, Family family) const {
  return sessions(family) + '/' + file::session(id);
}

std::string Home::sidecar(std::string_view id, Family family) const {
  return sessions(family) + '/' + file::sidecar(id);
}

std::string Home::archive(std::string_view id, std::int64_t generation, Family family) const {
  return sessions(family).append("/").append(file::kHistory).append("/").append(id).append("/") +
         file::archive(generation);
}

Result<os::Dir> open_sessions(const Home& home, Family family, os::IfMissing if_missing) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), if_missing));
  MAGI_TRY(os::Dir sessions, top.subdir(file::kSessions, if_missing));
  if (family == Family::kPrimary) return sessions;
  return sessions.subdir(file::kChildren, if_missing);
}

Result<os::Dir> open_locks(const os::Dir& folder) { return folder.subdir(file::kLocks, os::IfMissing::kCreate); }

Result<os::Dir> open_checkpoints(const Home& home, os::IfMissing if_missing) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), if_missing));
  return top.subdir(file::kCheckpoints, if_missing);
}

Result<os::Dir> open_model_catalogs(const Home& home) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), os::IfMissing::kCreate));
  MAGI_TRY(const os::Dir cache, top.subdir(kCache, os::IfMissing::kCreate));
  return cache.subdir(kModelCatalogs, os::IfMissing::kCreate);
}

Result<os::Dir> open_state(const Home& home) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), os::IfMissing::kCreate));
  return top.subdir(kState, os::IfMissing::kCreate);
}

Result<os::Dir> open_mcp_tools(const Home& home) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), os::IfMissing::kCreate));
  MAGI_TRY(const os::Dir cache, top.subdir(kCache, os::IfMissing::kCreate));
  return cache.subdir(kMcpTools, os::IfMissing::kCreate);
}

Result<os::Fd> open_session_for_reading(const Home& home, std::string_view id, Family family) {
  MAGI_CHECK(check_session_id(id));
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  auto sessions = open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return std::move(sessions.error());
  auto opened = sessions->open_file(file::session(id), os::FileUse::kRead);
  if (!opened && opened.error().code == ErrorCode::kNotFound) return missing();
  return opened;
}

Result<void> check_session_id(std::string_view id) {
  if (is_valid_session_id(id)) return {};
  return make_error(ErrorCode::kUsage, quoted(id), " is not a session ID (letters, digits, '_' and '-', at most 128)");
}

Result<void> check_home(const Home& home) {
  auto top = os::Dir::open_top(home.root(), os::IfMissing::kFail);
  if (top || top.error().code == ErrorCode::kNotFound) return {};
  return make_error(ErrorCode::kConfig, top.error().what);
}

std::string new_session_id(std::int64_t unix_ms) {
  std::uint64_t random = 0;
  // Cannot fail for so few bytes; were it to, the exclusive creation of the file still keeps two sessions apart.
  while (::getrandom(&random, sizeof random, 0) < 0 && errno == EINTR) {
  }
  const std::string time = format_rfc3339(unix_ms);  // "2026-11-30T10:00:01.000Z"
  std::string id;
  for (const char c : std::string_view(time).substr(0, 19)) {
    if (c == 'T')
      id += '-';
    else if (c != '-' && c != ':')
      id += c;
  }
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "-%010llx", static_cast<unsigned long long>(random & 0xff'ffff'ffff));
  return id + suffix;
}

}  // namespace magi::session
