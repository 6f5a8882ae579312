#include "tools/magi-export/contents.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>

#include "libcommon/os/mutation_lock.h"
#include "libcommon/session/removal.h"
#include "tools/magi-export/references.h"

namespace magi::exporting {
namespace {

namespace file = session::file;
using session::Family;

// Every member stays open until it is written, each child locks two files more.
void raise_file_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

std::string_view category_of(const Error& error) {
  if (error.code == ErrorCode::kNotFound) return "missing";
  return error.code == ErrorCode::kUnsafe ? "unsafe" : "unreadable";
}

// The generation that an archive's name says; nothing for other names.
std::optional<std::int64_t> generation_of(std::string_view name) {
  for (std::int64_t digits = 0, value = 0;; ++digits) {
    const char c = static_cast<std::size_t>(digits) < name.size() ? name[static_cast<std::size_t>(digits)] : '\0';
    if (c < '0' || c > '9' || digits > 15)
      return digits > 0 && name == file::archive(value) ? std::optional(value) : std::nullopt;
    value = value * 10 + (c - '0');
  }
}

// The length that ends with a whole record: a live writer may be in the middle of the next.
Result<std::uint64_t> whole_records(int fd, std::uint64_t length) {
  char block[64 * 1024];
  while (length > 0) {
    const std::uint64_t from = length > sizeof block ? length - sizeof block : 0;
    const ssize_t count = ::pread(fd, block, static_cast<std::size_t>(length - from), static_cast<off_t>(from));
    if (count <= 0) return errno_error("cannot read a session", count < 0 ? errno : EIO);
    for (ssize_t at = count; at > 0; --at)
      if (block[at - 1] == '\n') return from + static_cast<std::uint64_t>(at);
    length = from;
  }
  return 0;
}

// Another name of the file may stand for something that is no session and was never meant to be passed on.
Result<void> look_at_name(const os::Dir& folder, const std::string& name, int fd) {
  struct stat opened {
  }, named{};
  if (::fstat(fd, &opened) != 0 || ::fstatat(folder.fd(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
    return errno_error("cannot read " + quoted(folder.path_of(name)), errno);
  if (named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
    return make_error(ErrorCode::kUnsafe, quoted(folder.path_of(name)), " was replaced while it was opened");
  if (opened.st_nlink == 1 && named.st_nlink == 1) return {};
  return make_error(ErrorCode::kUnsafe, quoted(folder.path_of(name)), " has another name (hard link)");
}

// Looks twice: while a name is taken from a file, Linux counts one name less for a moment before a look-up sees it.
Result<void> has_one_name(const os::Dir& folder, const std::string& name, int fd) {
  constexpr useconds_t kMomentUs = 100;
  MAGI_CHECK(look_at_name(folder, name, fd));
  ::usleep(kMomentUs);
  return look_at_name(folder, name, fd);
}

class Gatherer {
 public:
  Gatherer(const session::Home& home, Locks& locks) : home_(home), locks_(locks) {}
  Result<Contents> run(std::string_view id);

 private:
  struct Wanted {
    std::string id, parent_id;
  };
  Result<void> add_session(const os::Dir& sessions, Family family, const std::string& id);
  void add_company(const os::Dir& sessions, Family family, const std::string& id);
  void add_generations(const os::Dir& sessions, Family family, const std::string& id);
  void add_children();
  Result<void> add_file(const os::Dir& folder, const std::string& name, Member member);
  void want_children_of(const Member& member);
  void warn(std::string_view category, std::string_view role, const std::string& id);

  const session::Home& home_;
  Locks& locks_;
  Contents contents_;
  std::deque<Wanted> wanted_;
  std::unordered_set<std::string> seen_;
};

void Gatherer::warn(std::string_view category, std::string_view role, const std::string& id) {
  if (contents_.warnings.size() < kMostWarnings)
    contents_.warnings.push_back({category, role, id});
  else
    ++contents_.more_warnings;
}

Result<void> Gatherer::add_file(const os::Dir& folder, const std::string& name, Member member) {
  MAGI_TRY(member.file, folder.open_file(name, os::FileUse::kRead));
  MAGI_CHECK(has_one_name(folder, name, member.file.get()));
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(member.file.get(), folder.path_of(name)));
  member.bytes = stamp.length;
  member.mtime_s = stamp.mtime_ns / 1'000'000'000;
  contents_.members.push_back(std::move(member));
  return {};
}

std::string path_in_archive(Family family, const std::string& rest) {
  std::string path(file::kSessions);
  if (family == Family::kChild) path.append("/").append(file::kChildren);
  return path.append("/").append(rest);
}

void Gatherer::want_children_of(const Member& member) {
  const auto found = find_children(member.file.get(), member.bytes, [&](std::string_view id) {
    if (!session::is_valid_session_id(id)) return warn("invalid_id", role::kChildSession, "");
    if (seen_.emplace(id).second) wanted_.push_back({std::string(id), member.session_id});
  });
  if (!found) warn("unreadable", member.role, member.session_id);
}

Result<void> Gatherer::add_session(const os::Dir& sessions, Family family, const std::string& id) {
  // Where there is none no lock is left behind.
  MAGI_TRY([[maybe_unused]] const os::FileStamp there, sessions.stamp(file::session(id)));
  MAGI_CHECK(locks_.lock(sessions, id));
  const bool primary = family == Family::kPrimary;
  Member member;
  member.role = primary ? role::kSession : role::kChildSession;
  member.path = path_in_archive(family, file::session(id));
  member.session_id = id;
  MAGI_CHECK(add_file(sessions, file::session(id), std::move(member)));
  Member& added = contents_.members.back();
  MAGI_TRY(const bool live, session::has_live_writer(sessions, id));
  if (live) {
    MAGI_TRY(added.bytes, whole_records(added.file.get(), added.bytes));
    warn("live", added.role, id);
  }
  want_children_of(added);
  return {};
}

void Gatherer::add_company(const os::Dir& sessions, Family family, const std::string& id) {
  Member member;
  member.role = family == Family::kPrimary ? role::kMetadata : role::kChildMetadata;
  member.path = path_in_archive(family, file::sidecar(id));
  member.session_id = id;
  const std::string_view sidecar_role = member.role;
  if (const auto added = add_file(sessions, file::sidecar(id), std::move(member));
      !added && added.error().code != ErrorCode::kNotFound)
    warn(category_of(added.error()), sidecar_role, id);
  add_generations(sessions, family, id);
}

void Gatherer::add_generations(const os::Dir& sessions, Family family, const std::string& id) {
  const std::string_view role = family == Family::kPrimary ? role::kGeneration : role::kChildGeneration;
  const auto history = sessions.subdir(file::kHistory, os::IfMissing::kFail);
  const auto own = history ? history->subdir(id, os::IfMissing::kFail) : Result<os::Dir>(history.error());
  const auto names = own ? own->names() : Result<std::vector<std::string>>(own.error());
  if (!names) {
    if (names.error().code != ErrorCode::kNotFound) warn(category_of(names.error()), role, id);
    return;
  }
  std::vector<std::int64_t> generations;
  for (const std::string& name : *names)
    if (const auto generation = generation_of(name)) generations.push_back(*generation);
  std::sort(generations.begin(), generations.end());
  for (const std::int64_t generation : generations) {
    const std::string name = file::archive(generation);
    Member member;
    member.role = role;
    member.path = path_in_archive(family, std::string(file::kHistory) + '/' + id + '/' + name);
    member.session_id = id;
    member.generation = generation;
    if (const auto added = add_file(*own, name, std::move(member)); !added)
      warn(category_of(added.error()), role, id);
    else
      want_children_of(contents_.members.back());
  }
}

void Gatherer::add_children() {
  if (wanted_.empty()) return;
  const auto sessions = session::open_sessions(home_, Family::kChild, os::IfMissing::kFail);
  for (; !wanted_.empty(); wanted_.pop_front()) {
    const Wanted wanted = wanted_.front();
    const Result<void> added =
        sessions ? add_session(*sessions, Family::kChild, wanted.id) : Result<void>(sessions.error());
    contents_.children.push_back({wanted.id, wanted.parent_id, added.has_value()});
    if (added)
      add_company(*sessions, Family::kChild, wanted.id);
    else
      warn(category_of(added.error()), role::kChildSession, wanted.id);
  }
}

Result<Contents> Gatherer::run(std::string_view id) {
  MAGI_CHECK(session::check_session_id(id));
  raise_file_limit();
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  const auto sessions = session::open_sessions(home_, Family::kPrimary, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return sessions.error();
  const std::string own(id);
  seen_.insert(own);
  const auto added = add_session(*sessions, Family::kPrimary, own);
  if (!added && added.error().code == ErrorCode::kNotFound) return missing();
  MAGI_CHECK(added);
  add_company(*sessions, Family::kPrimary, own);
  add_children();
  return std::move(contents_);
}

}  // namespace

// Each names what stands before it, so that it must not move.
struct Locks::Held {
  os::Dir folder;
  std::optional<os::MutationLock> lock;
  std::optional<os::MutationLock::Held> held;
};

Locks::Locks() = default;
Locks::Locks(Locks&&) noexcept = default;
Locks::~Locks() = default;

Result<void> Locks::lock(const os::Dir& sessions, std::string_view id) {
  MAGI_TRY(os::Dir folder, session::open_locks(sessions));
  auto locked = std::make_unique<Held>(Held{std::move(folder), std::nullopt, std::nullopt});
  MAGI_TRY(locked->lock, os::MutationLock::open(locked->folder, file::mutation(id)));
  MAGI_TRY(os::MutationLock::Held held, locked->lock->acquire(os::MutationLock::Mode::kShared));
  locked->held.emplace(std::move(held));
  held_.push_back(std::move(locked));
  return {};
}

Result<Contents> gather(const session::Home& home, std::string_view id, Locks& locks) {
  return Gatherer(home, locks).run(id);
}

}  // namespace magi::exporting
