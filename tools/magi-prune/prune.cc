#include "tools/magi-prune/prune.h"

#include "libcommon/base/clock.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/signals.h"
#include "libcommon/session/ledger.h"
#include "libcommon/session/sidecar.h"
#include "tools/magi-prune/age.h"
#include "tools/magi-prune/remains.h"

namespace magi::prune {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

// What remove_session() would answer, without touching anything.
Result<session::Removal> pretend(const os::Dir& sessions, std::string_view id, const session::IsDoomed& is_doomed) {
  MAGI_TRY(const bool is_live, session::has_live_writer(sessions, id));
  if (is_live) return make_error(ErrorCode::kBusy, "a live writer");
  MAGI_TRY(const os::Fd session, sessions.open_file(session::file::session(id), os::FileUse::kRead));
  MAGI_TRY(const bool doomed, is_doomed(session.get()));
  return doomed ? session::Removal::kRemoved : session::Removal::kKept;
}

class Pruner {
 public:
  Pruner(const Options& options, os::StopSignals signals)
      : options_(options),
        home_(options.home),
        signals_(std::move(signals)),
        now_ms_(unix_time_ms()),
        ledgers_(home_) {}

  Result<Outcome> run();

 private:
  Result<void> prune_family(session::Family family);
  void consider(const os::Dir& sessions, std::string_view id);
  void remove(const os::Dir& sessions, std::string_view id);
  void remove_leftover(const os::Dir& sessions, const std::string& name);
  std::int64_t cut_off_ms() const { return now_ms_ - *options_.days * kDayMs; }

  void remove_ledger(std::string_view id);
  void remove_blobs();

  const Options& options_;
  session::Home home_;
  os::StopSignals signals_;
  std::int64_t now_ms_;
  session::LedgerPruning ledgers_;
  bool removed_ledger_ = false;
  Outcome outcome_;
};

Result<Outcome> Pruner::run() {
  MAGI_CHECK(prune_family(session::Family::kPrimary));
  if (options_.background) {
    MAGI_CHECK(prune_family(session::Family::kChild));
    if (!options_.dry_run && !outcome_.interrupted) remove_remains(home_, cut_off_ms(), ledgers_, outcome_.failures);
  }
  if (removed_ledger_ || (options_.background && !options_.dry_run)) remove_blobs();
  return std::move(outcome_);
}

Result<void> Pruner::prune_family(session::Family family) {
  const auto sessions = session::open_sessions(home_, family, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return {};
  if (!sessions) return sessions.error();
  MAGI_TRY(const std::vector<std::string> names, sessions->names());
  for (const std::string& name : names) {
    outcome_.interrupted = signals_.received() != 0;
    if (outcome_.interrupted) break;
    if (const std::string_view id = session::file::session_id_of(name); !id.empty())
      consider(*sessions, id);
    else if (name.ends_with(session::file::kSessionSuffix))
      session::count_failure(outcome_.left_alone, "other_name");
    else if (options_.background && name.starts_with(os::kTemporaryPrefix))
      remove_leftover(*sessions, name);
  }
  return {};
}

// Most sessions are fresh, and their sidecar says so.
void Pruner::consider(const os::Dir& sessions, std::string_view id) {
  const auto stamp = sessions.stamp(session::file::session(id));
  const auto facts = stamp ? session::facts_of(sessions, id, *stamp) : stamp.error();
  if (!facts) {
    // Gone meanwhile: someone else's deletion.
    if (facts.error().code == ErrorCode::kNotFound) return;
    if (facts.error().code == ErrorCode::kUnsafe) return session::count_failure(outcome_.left_alone, "unsafe");
    ++outcome_.failed;
    return session::count_failure(outcome_.failures, session::failure_category(facts.error()));
  }
  const std::int64_t used_ms = facts->newest_ms > 0 ? facts->newest_ms : stamp->mtime_ns / 1'000'000;
  if (used_ms >= cut_off_ms())
    ++outcome_.kept;
  else
    remove(sessions, id);
}

void Pruner::remove(const os::Dir& sessions, std::string_view id) {
  session::FailureCounts failures;
  const auto is_doomed = [&](int session_fd) -> Result<bool> {
    MAGI_TRY(const std::int64_t used_ms, last_used_ms(session_fd));
    return used_ms < cut_off_ms();
  };
  const auto removal =
      options_.dry_run ? pretend(sessions, id, is_doomed) : session::remove_session(sessions, id, is_doomed, failures);
  for (const auto& [category, times] : failures) outcome_.failures[category] += times;
  if (!removal && removal.error().code == ErrorCode::kBusy) {
    ++outcome_.skipped_active;
  } else if (!removal) {
    ++outcome_.failed;
    session::count_failure(outcome_.failures, session::failure_category(removal.error()));
  } else if (*removal == session::Removal::kKept) {
    ++outcome_.kept;
  } else {
    ++outcome_.deleted;
    if (!options_.dry_run) remove_ledger(id);
  }
}

void Pruner::remove_ledger(std::string_view id) {
  const Result<bool> removed = ledgers_.remove(id);
  if (!removed) return session::count_failure(outcome_.failures, session::failure_category(removed.error()));
  removed_ledger_ = removed_ledger_ || *removed;
}

void Pruner::remove_blobs() {
  const auto blobs = ledgers_.remove_unnamed_blobs();
  if (!blobs) return session::count_failure(outcome_.failures, session::failure_category(blobs.error()));
  if (blobs->failed > 0) outcome_.failures["io"] += blobs->failed;
}

// What a crash left beside sessions; nothing needs it for longer than a moment.
void Pruner::remove_leftover(const os::Dir& sessions, const std::string& name) {
  const auto stamp = sessions.stamp(name);
  if (!stamp || options_.dry_run || stamp->mtime_ns / 1'000'000 >= now_ms_ - kDayMs) return;
  if (const auto removed = sessions.remove_file(name); !removed)
    session::count_failure(outcome_.failures, session::failure_category(removed.error()));
}

}  // namespace

Result<Outcome> run(const Options& options) {
  MAGI_TRY(os::StopSignals signals, os::StopSignals::catch_signals());
  return Pruner(options, std::move(signals)).run();
}

}  // namespace magi::prune
