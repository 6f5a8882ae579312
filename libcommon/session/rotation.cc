#include "libcommon/session/rotation.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <vector>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/lease.h"
#include "libcommon/os/mutation_lock.h"
#include "libcommon/session/event_ids.h"
#include "libcommon/session/mask_fields.h"
#include "libcommon/session/sidecar.h"
#include "libcommon/session/worktree.h"

namespace magi::session {
namespace {

constexpr std::size_t kBlockBytes = 4u << 20;
// Begin like all leftovers do (os::kTemporaryPrefix); the history folder of a session is its lease holder's alone.
constexpr std::string_view kArchiveCopy = ".tmp.archive", kNextSession = ".tmp.session";
static_assert(kArchiveCopy.starts_with(os::kTemporaryPrefix) && kNextSession.starts_with(os::kTemporaryPrefix));

Result<std::size_t> read_block(int fd, char* to, std::size_t size, std::uint64_t offset, const std::string& path) {
  std::size_t used = 0;
  while (used < size) {
    const ssize_t count = os::disk().pread(fd, to + used, size - used, static_cast<off_t>(offset + used));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("cannot read " + quoted(path), errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
  }
  return used;
}

Result<void> write_block(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = os::disk().write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return errno_error("cannot write " + quoted(path), count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> sync_data(int fd, const std::string& path) {
  while (os::disk().fdatasync(fd) != 0)
    if (errno != EINTR) return errno_error("cannot sync " + quoted(path), errno);
  return {};
}

Result<void> rename_file(const os::Dir& from, std::string_view name, const os::Dir& to, const std::string& target) {
  if (os::disk().renameat(from.fd(), std::string(name).c_str(), to.fd(), target.c_str()) == 0) return {};
  return errno_error("cannot replace " + quoted(to.path_of(target)), errno);
}

// A file of the history folder that goes with this object unless it was renamed.
class Temporary {
 public:
  static Result<Temporary> create(const os::Dir& dir, std::string_view name) {
    MAGI_TRY(os::Fd fd, dir.open_file(name, os::FileUse::kCreateNew));
    return Temporary(dir, name, std::move(fd));
  }
  Temporary(Temporary&& other) noexcept
      : dir_(std::exchange(other.dir_, nullptr)), name_(std::move(other.name_)), fd_(std::move(other.fd_)) {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (dir_) static_cast<void>(dir_->remove_file(name_));
  }
  int fd() const { return fd_.get(); }
  std::string path() const { return dir_->path_of(name_); }
  Result<void> rename_to(const os::Dir& to, const std::string& target) {
    MAGI_CHECK(rename_file(*dir_, name_, to, target));
    dir_ = nullptr;
    return {};
  }

 private:
  Temporary(const os::Dir& dir, std::string_view name, os::Fd fd) : dir_(&dir), name_(name), fd_(std::move(fd)) {}
  const os::Dir* dir_;
  std::string name_;
  os::Fd fd_;
};

struct Source {
  int fd;
  std::string path;
};

// Copies [from, to) of the source in blocks; the digest of a block is taken while the next one is copied.
Result<void> copy_range(const Source& source, std::uint64_t from, std::uint64_t to, const Temporary& target,
                        Sha256* digest, const std::function<bool(std::uint64_t)>& go_on) {
  std::array<std::vector<char>, 2> blocks;
  std::future<void> hashing;  // waits when it is destroyed
  std::uint64_t written = 0;
  for (std::size_t turn = 0; from < to; turn ^= 1) {
    if (go_on && !go_on(from)) return make_error(ErrorCode::kCancelled, "interrupted");
    std::vector<char>& block = blocks[turn];
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, to - from)));
    MAGI_TRY(const std::size_t size, read_block(source.fd, block.data(), block.size(), from, source.path));
    if (size != block.size())
      return make_error(ErrorCode::kIo, "cannot copy ", quoted(source.path), ": it became shorter meanwhile");
    if (hashing.valid()) hashing.get();
    if (digest)
      hashing = std::async(std::launch::async, [digest, &block] { digest->update({block.data(), block.size()}); });
    MAGI_CHECK(write_block(target.fd(), {block.data(), block.size()}, target.path()));
    // The disk starts on it meanwhile, so that little is left for the sync.
    static_cast<void>(
        ::sync_file_range(target.fd(), static_cast<off_t>(written), static_cast<off_t>(size), SYNC_FILE_RANGE_WRITE));
    written += size;
    from += size;
  }
  return {};
}

}  // namespace

struct Rotation::Impl {
  std::string id;
  os::Dir sessions, locks;
  os::Lease lease;
  std::optional<os::Dir> primary_sessions, primary_locks;  // of a child session: where the event counter is
  std::optional<os::MutationLock> mutation;                // points into this object
  os::Fd session;
  os::FileStamp snapshot;
  bool ends_in_lf = true;
  std::optional<os::Dir> history;
  std::optional<Temporary> archive_copy;
  std::int64_t generation = 0;  // of the archive
  event::ArchiveRef archive_ref;
  bool published = false;

  Impl(std::string_view of, os::Dir sessions_dir, os::Dir locks_dir, os::Lease held)
      : id(of), sessions(std::move(sessions_dir)), locks(std::move(locks_dir)), lease(std::move(held)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> open(const Home& home, Family family);
  Result<void> open_history();
  Result<void> choose_generation(std::int64_t wanted);
  Result<bool> is_leftover(const std::string& name) const;
  Result<std::string> checkpoint_line(event::Compaction& checkpoint, const std::string& cwd, std::int64_t now_ms,
                                      std::string& event_id);
  Result<void> publish_archive();
  Result<void> replace(Temporary& next, Rotated& done);
  Result<void> copy_tail(Temporary& next, std::uint64_t length, Rotated& done);
  Source source() const { return {session.get(), sessions.path_of(file::session(id))}; }
};

Result<void> Rotation::Impl::open(const Home& home, Family family) {
  const Source from = source();
  if (family == Family::kChild) {
    MAGI_TRY(primary_sessions, open_sessions(home, Family::kPrimary, os::IfMissing::kCreate));
    MAGI_TRY(primary_locks, open_locks(*primary_sessions));
  }
  MAGI_TRY(mutation, os::MutationLock::open(locks, file::mutation(id)));
  MAGI_TRY(session, sessions.open_file(file::session(id), os::FileUse::kRead));
  {
    // No append stands half done in what is taken for the snapshot, and none in it is taken back later.
    MAGI_TRY(const os::MutationLock::Held held, mutation->acquire(os::MutationLock::Mode::kShared));
    MAGI_TRY(snapshot, os::stamp_of(session.get(), from.path));
  }
  if (snapshot.length == 0) return {};
  char last = 0;
  MAGI_TRY(const std::size_t count, read_block(session.get(), &last, 1, snapshot.length - 1, from.path));
  ends_in_lf = count == 1 && last == '\n';
  return {};
}

Result<void> Rotation::Impl::open_history() {
  MAGI_TRY(const os::Dir histories, sessions.subdir(file::kHistory, os::IfMissing::kCreate));
  MAGI_TRY(history, histories.subdir(id, os::IfMissing::kCreate));
  // What an earlier rotation that was killed left.
  MAGI_TRY(const std::vector<std::string> names, history->names());
  for (const std::string& name : names)
    if (name.starts_with(os::kTemporaryPrefix)) MAGI_CHECK(history->remove_file(name));
  return {};
}

// An archive of a rotation that was killed before its checkpoint was published holds the beginning of the snapshot.
Result<bool> Rotation::Impl::is_leftover(const std::string& name) const {
  MAGI_TRY(const os::Fd old, history->open_file(name, os::FileUse::kRead));
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(old.get(), history->path_of(name)));
  if (stamp.length > snapshot.length) return false;
  std::vector<char> ours(kBlockBytes), theirs(kBlockBytes);
  for (std::uint64_t at = 0; at < stamp.length;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, stamp.length - at));
    MAGI_TRY(const std::size_t read, read_block(session.get(), ours.data(), size, at, source().path));
    MAGI_TRY(const std::size_t same, read_block(old.get(), theirs.data(), size, at, history->path_of(name)));
    if (read != size || same != size || !std::equal(ours.data(), ours.data() + size, theirs.data())) return false;
    at += size;
  }
  return true;
}

// No archive that may hold something else is ever replaced: generations may leave gaps.
Result<void> Rotation::Impl::choose_generation(std::int64_t wanted) {
  constexpr std::int64_t kMostGaps = 1000;
  for (generation = wanted; generation < wanted + kMostGaps; ++generation) {
    const std::string name = file::archive(generation);
    const auto found = history->stamp(name);
    if (!found && found.error().code == ErrorCode::kNotFound) return {};
    if (!found) return found.error();
    MAGI_TRY(const bool leftover, is_leftover(name));
    if (leftover) return {};
  }
  return make_error(ErrorCode::kBusy, quoted(history->path()), " holds archives of other histories");
}

Result<std::string> Rotation::Impl::checkpoint_line(event::Compaction& checkpoint, const std::string& cwd,
                                                    std::int64_t now_ms, std::string& event_id) {
  checkpoint.generation = generation + 1;
  checkpoint.archive = archive_ref;
  mask_fields(checkpoint);
  EventIds ids(primary_sessions ? *primary_sessions : sessions, primary_locks ? *primary_locks : locks);
  MAGI_TRY(event_id, ids.next());
  std::string payload = event::payload_json(checkpoint), line;
  // Raw values may bring line breaks between their tokens.
  std::replace(payload.begin(), payload.end(), '\n', ' ');
  event::append_session_line(line, {event_id, format_rfc3339(now_ms), id, cwd}, event::Compaction::kType, payload);
  return line;
}

Result<void> Rotation::Impl::publish_archive() {
  MAGI_CHECK(archive_copy->rename_to(*history, file::archive(generation)));
  return history->sync();
}

// The events that the snapshot does not hold.  The lease's holder cannot append while this runs.
Result<void> Rotation::Impl::copy_tail(Temporary& next, std::uint64_t length, Rotated& done) {
  std::uint64_t from = snapshot.length;
  char first = 0;
  if (!ends_in_lf && length > from) {
    // An append after an unfinished line begins with the LF that ends it.
    MAGI_TRY([[maybe_unused]] const std::size_t count, read_block(session.get(), &first, 1, from, source().path));
    from += first == '\n';
  }
  if (from == length) return {};
  MAGI_CHECK(copy_range(source(), from, length, next, nullptr, nullptr));
  MAGI_CHECK(sync_data(next.fd(), next.path()));
  done.carried_over_bytes = length - from;
  return {};
}

Result<void> Rotation::Impl::replace(Temporary& next, Rotated& done) {
  const std::string name = file::session(id);
  MAGI_TRY(const os::MutationLock::Held held, mutation->acquire(os::MutationLock::Mode::kExclusive));
  MAGI_TRY(const os::FileStamp now, sessions.stamp(name));
  if (!now.same_file(snapshot) || now.length < snapshot.length)
    return make_error(ErrorCode::kBusy, "session ", quoted(id), " was replaced meanwhile");
  MAGI_CHECK(copy_tail(next, now.length, done));
  MAGI_TRY(const os::FileStamp written, os::stamp_of(next.fd(), next.path()));
  done.length = written.length;
  auto renamed = next.rename_to(sessions, name);
  if (!renamed) {
    // Some file systems fail a rename that they have done.
    const auto stands = sessions.stamp(name);
    published = stands && stands->same_file(written);
    return renamed;
  }
  published = true;
  MAGI_CHECK(history->sync());
  return sessions.sync();
}

Rotation::Rotation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Rotation::Rotation(Rotation&&) noexcept = default;
Rotation::~Rotation() = default;

int Rotation::fd() const { return impl_->session.get(); }
std::uint64_t Rotation::snapshot_bytes() const { return impl_->snapshot.length; }
bool Rotation::was_published() const { return impl_->published; }

Result<Rotation> Rotation::begin(const Home& home, std::string_view id, Family family, std::optional<os::Fd> lent) {
  MAGI_CHECK(check_session_id(id));
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  auto sessions = open_sessions(home, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return std::move(sessions.error());
  // Before the locks: asking for a session that does not exist leaves no lock files.
  if (auto found = sessions->stamp(file::session(id)); !found && found.error().code == ErrorCode::kNotFound)
    return missing();
  MAGI_TRY(os::Dir locks, open_locks(*sessions));
  auto lease =
      lent ? os::Lease::adopt(*std::move(lent), locks, file::lease(id)) : os::Lease::acquire(locks, file::lease(id));
  if (!lease && lease.error().code == ErrorCode::kBusy)
    return make_error(ErrorCode::kBusy, "session ", quoted(id), " is in use by another process");
  if (!lease) return std::move(lease.error());
  auto impl = std::make_unique<Impl>(id, std::move(*sessions), std::move(locks), std::move(*lease));
  MAGI_CHECK(impl->open(home, family));
  return Rotation(std::move(impl));
}

Result<void> Rotation::archive(const std::function<bool(std::uint64_t)>& go_on) {
  Impl& self = *impl_;
  MAGI_CHECK(self.open_history());
  MAGI_TRY(Temporary copy, Temporary::create(*self.history, kArchiveCopy));
  Sha256 digest;
  MAGI_CHECK(copy_range(self.source(), 0, self.snapshot.length, copy, &digest, go_on));
  MAGI_CHECK(sync_data(copy.fd(), copy.path()));
  self.archive_ref.bytes = static_cast<std::int64_t>(self.snapshot.length);
  self.archive_ref.sha256 = digest.hex();
  self.archive_copy.emplace(std::move(copy));
  return {};
}

Result<Rotated> Rotation::publish(event::Compaction& checkpoint, std::int64_t generation, const std::string& cwd,
                                  std::int64_t (*now_ms)()) {
  Impl& self = *impl_;
  Rotated done;
  MAGI_CHECK(self.choose_generation(generation));
  self.archive_ref.path = std::string(file::kHistory) + '/' + self.id + '/' + file::archive(self.generation);
  MAGI_TRY(const std::string line, self.checkpoint_line(checkpoint, cwd, now_ms(), done.event_id));
  MAGI_TRY(Temporary next, Temporary::create(*self.history, kNextSession));
  MAGI_CHECK(write_block(next.fd(), line, next.path()));
  MAGI_CHECK(sync_data(next.fd(), next.path()));
  auto published = self.publish_archive();
  if (published) published = self.replace(next, done);
  if (!published) {
    // Nothing refers to the archive; where it cannot be removed, the next rotation takes its place.
    if (!self.published) static_cast<void>(self.history->remove_file(file::archive(self.generation)));
    return published.error();
  }
  if (const auto stamp = self.sessions.stamp(file::session(self.id)))
    if (auto facts = facts_of(self.sessions, self.id, *stamp)) {
      if (facts->worktree.empty()) facts->worktree = worktree_of(facts->cwd);
      static_cast<void>(write_sidecar(self.sessions, self.id, Sidecar(*stamp, *std::move(facts))));
    }
  return done;
}

}  // namespace magi::session
