#include "libcommon/session/writer.h"

#include <algorithm>

#include "libcommon/json/node.h"
#include "libcommon/os/append.h"
#include "libcommon/os/lease.h"
#include "libcommon/os/mutation_lock.h"
#include "libcommon/session/event_ids.h"
#include "libcommon/session/sidecar.h"
#include "libcommon/session/tail.h"
#include "libcommon/session/worktree.h"

namespace magi::session {
namespace {

// Folders and locks of an open session.  Members point at each other: it stays where it is.
struct OpenSession {
  os::Dir sessions, locks;                  // of the family
  std::optional<os::Dir> primary_sessions;  // where the event counter is, unless it is in the above
  std::optional<os::Dir> primary_locks;
  os::Lease lease;
  std::optional<os::MutationLock> mutation;  // until `file` takes it
  std::optional<EventIds> ids;
  std::optional<os::AppendFile> file;  // nothing until the file exists
  bool is_new = false;       // this writer made the file and has stored nothing in it yet
  bool name_synced = false;  // a writer that was killed may have left a name that is not on the disk

  OpenSession(os::Dir sessions_dir, os::Dir locks_dir, os::Lease held)
      : sessions(std::move(sessions_dir)), locks(std::move(locks_dir)), lease(std::move(held)) {}
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;
};

Error with_context(std::string_view what, std::string_view id, const Error& why) {
  return make_error(why.code, what, " session ", quoted(id), ": ", why.what);
}

Result<std::unique_ptr<OpenSession>> take_locks(const Home& home, std::string_view id, Family family,
                                                os::Dir sessions) {
  MAGI_TRY(os::Dir locks, open_locks(sessions));
  auto lease = os::Lease::acquire(locks, file::lease(id));
  if (!lease && lease.error().code == ErrorCode::kBusy)
    return make_error(ErrorCode::kBusy, "session ", quoted(id), " is in use by another process");
  if (!lease) return std::move(lease.error());
  auto open = std::make_unique<OpenSession>(std::move(sessions), std::move(locks), std::move(*lease));
  MAGI_TRY(open->mutation, os::MutationLock::open(open->locks, file::mutation(id)));
  if (family == Family::kPrimary) {
    open->ids.emplace(open->sessions, open->locks);
    return open;
  }
  MAGI_TRY(open->primary_sessions, open_sessions(home, Family::kPrimary, os::IfMissing::kCreate));
  MAGI_TRY(open->primary_locks, open_locks(*open->primary_sessions));
  open->ids.emplace(*open->primary_sessions, *open->primary_locks);
  return open;
}

}  // namespace

void Batch::push(std::string_view type, std::string json) {
  // A line break between tokens, which only raw values may bring, means nothing there and would end the record.
  std::replace(json.begin(), json.end(), '\n', ' ');
  items_.push_back({type, std::move(json)});
}

struct Writer::Impl {
  Home home;
  std::string id;
  WriterOptions options;
  std::unique_ptr<OpenSession> open;  // nothing until the first append of a new session
  SessionFacts facts;
  std::uint64_t torn_bytes = 0;
  bool uncertain = false;
  bool sidecar_is_old = false;

  Result<void> start();
  Result<void> open_existing();
  Result<void> create_file();
  Result<std::vector<std::string>> append(const Batch& batch, bool durable);
  Result<void> finish(os::AppendResult result, bool durable);
  void abandon_file();
  void abandon_locks();
  void save_sidecar();
};

Result<void> Writer::Impl::start() {
  if (open) return {};
  MAGI_TRY(os::Dir sessions, open_sessions(home, options.family, os::IfMissing::kCreate));
  MAGI_TRY(open, take_locks(home, id, options.family, std::move(sessions)));
  return {};
}

Result<void> Writer::Impl::open_existing() {
  const std::string name = file::session(id);
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  auto sessions = open_sessions(home, options.family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return std::move(sessions.error());
  // Before the locks: asking for a session that does not exist leaves no lock files.
  if (auto found = sessions->stamp(name); !found && found.error().code == ErrorCode::kNotFound) return missing();
  MAGI_TRY(open, take_locks(home, id, options.family, std::move(*sessions)));
  MAGI_TRY(open->file, os::AppendFile::open(open->sessions, name, os::FileUse::kAppend, *std::move(open->mutation)));
  open->mutation.reset();
  MAGI_TRY(facts, facts_of(open->sessions, id, open->file->stamp()));
  const os::AppendFile& file = *open->file;
  MAGI_TRY(torn_bytes, session::torn_tail_bytes(file.fd(), file.stamp().length, open->sessions.path_of(name)));
  return {};
}

Result<void> Writer::Impl::create_file() {
  if (open->file) return {};
  if (!open->mutation) {  // an earlier attempt failed and took it along
    MAGI_TRY(open->mutation, os::MutationLock::open(open->locks, file::mutation(id)));
  }
  auto lock = *std::move(open->mutation);
  open->mutation.reset();
  MAGI_TRY(open->file,
           os::AppendFile::open(open->sessions, file::session(id), os::FileUse::kAppendNew, std::move(lock)));
  open->is_new = true;
  open->name_synced = false;
  return {};
}

Result<std::vector<std::string>> Writer::Impl::append(const Batch& batch, bool durable) {
  if (uncertain) return make_error(ErrorCode::kIo, "an earlier append failed halfway; open the session again");
  MAGI_CHECK(start());
  MAGI_CHECK(open->ids->reserve(batch.size()));
  const std::int64_t now_ms = options.now_ms();
  event::Envelope envelope{"", format_rfc3339(now_ms), id, options.cwd};
  std::vector<std::string> ids;
  std::string lines;
  for (const Batch::Item& item : batch.items_) {
    MAGI_TRY(envelope.event_id, open->ids->next());
    event::append_session_line(lines, envelope, item.type, item.json);
    ids.push_back(envelope.event_id);
  }
  MAGI_CHECK(create_file());
  MAGI_CHECK(finish(open->file->append(lines, durable), durable));

  json::Parser parser;
  for (const Batch::Item& item : batch.items_) {
    const auto payload = SessionFacts::wants_payload(item.type) ? parser.parse(item.json) : json::Node();
    if (payload) facts.apply(item.type, now_ms, options.cwd, *payload);
  }
  sidecar_is_old = true;
  return ids;
}

Result<void> Writer::Impl::finish(os::AppendResult result, bool durable) {
  if (result.outcome == os::AppendOutcome::kRolledBack) {
    abandon_file();
    return std::move(result.error);
  }
  open->is_new = false;
  if (result.outcome == os::AppendOutcome::kDone && durable && !open->name_synced) {
    auto synced = open->sessions.sync();
    open->name_synced = synced.has_value();
    if (!synced) result = {os::AppendOutcome::kUncertain, std::move(synced.error())};
  }
  if (result.outcome == os::AppendOutcome::kUncertain) {
    uncertain = true;
    return make_error(result.error.code, result.error.what, " (part of the record may have been stored)");
  }
  return {};
}

// An empty file that a failed first append made is taken back with it.
void Writer::Impl::abandon_file() {
  if (!open->is_new) return;
  open->file.reset();
  static_cast<void>(open->sessions.remove_file(file::session(id)));
  open->is_new = false;
}

// A session that was never stored leaves no lock files.  The lease is still held while they go.
void Writer::Impl::abandon_locks() {
  open->mutation.reset();
  static_cast<void>(open->locks.remove_file(file::mutation(id)));
  static_cast<void>(open->locks.remove_file(file::lease(id)));
}

void Writer::Impl::save_sidecar() {
  if (!open || !open->file || uncertain || !sidecar_is_old) return;
  const auto stamp = open->file->fresh_stamp();
  if (!stamp || stamp->length != open->file->stamp().length) return;
  if (facts.worktree.empty()) facts.worktree = worktree_of(facts.cwd);
  sidecar_is_old = !write_sidecar(open->sessions, id, Sidecar(*stamp, facts));
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Writer(Writer&&) noexcept = default;

Writer& Writer::operator=(Writer&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

Writer::~Writer() {
  if (!impl_ || !impl_->open) return;
  if (impl_->open->file)
    impl_->save_sidecar();
  else
    impl_->abandon_locks();
}

Writer Writer::create(Home home, WriterOptions options) {
  std::string id = new_session_id(options.now_ms());
  return Writer(std::make_unique<Impl>(Impl{std::move(home), std::move(id), std::move(options), nullptr, {}}));
}

Result<Writer> Writer::open(Home home, std::string id, WriterOptions options) {
  MAGI_CHECK(check_session_id(id));
  auto impl = std::make_unique<Impl>(Impl{std::move(home), std::move(id), std::move(options), nullptr, {}});
  MAGI_CHECK(impl->open_existing());
  return Writer(std::move(impl));
}

const std::string& Writer::id() const { return impl_->id; }
const std::string& Writer::cwd() const { return impl_->options.cwd; }
Family Writer::family() const { return impl_->options.family; }
bool Writer::is_uncertain() const { return impl_->uncertain; }
bool Writer::exists() const { return impl_->open && impl_->open->file; }
const SessionFacts& Writer::facts() const { return impl_->facts; }
std::uint64_t Writer::torn_tail_bytes() const { return impl_->torn_bytes; }
int Writer::lease_fd() const { return impl_->open ? impl_->open->lease.fd() : -1; }
os::FileStamp Writer::stamp() const { return exists() ? impl_->open->file->stamp() : os::FileStamp{}; }
void Writer::save_sidecar() { impl_->save_sidecar(); }

Result<std::vector<std::string>> Writer::append_batch(Batch batch, Durability durability) {
  auto ids = impl_->append(batch, durability == Durability::kRequired);
  if (!ids) return with_context("cannot save", id(), ids.error());
  return ids;
}

Result<void> Writer::sync() {
  if (!exists()) return {};
  MAGI_CHECK(impl_->open->file->sync());
  if (impl_->open->name_synced) return {};
  MAGI_CHECK(impl_->open->sessions.sync());
  impl_->open->name_synced = true;
  return {};
}

Result<void> Writer::prepare() {
  auto started = impl_->start();
  if (started) started = impl_->open->ids->reserve(1);
  if (!started) return with_context("cannot save", id(), started.error());
  return {};
}

Result<void> Writer::reload() {
  if (!exists()) return {};
  // Whoever replaced the file may have died before its name was on the disk.
  MAGI_TRY(const bool replaced, impl_->open->file->follow_name());
  if (replaced) impl_->open->name_synced = false;
  MAGI_TRY(impl_->facts, facts_of(impl_->open->sessions, id(), impl_->open->file->stamp()));
  impl_->sidecar_is_old = true;
  return {};
}

}  // namespace magi::session
