// Checkpoint ledgers (requirements F1, F3): `checkpoints/<session>.jsonl` says what the tools of a session changed, and
// `checkpoints/blobs/` keeps what the files held before.
//
// Whoever adds to a ledger or takes from the store holds the lock `checkpoints/.locks/ledgers` exclusively: a blob that
// is written but not yet named by a record is safe from pruning, and records of one ledger stand one after the other.
// Order on the disk: blob, its name, record; each synced before the next.  Readers take no lock.
// Blocking: disk, and at most 10 s for the lock (then kBusy).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/result.h"
#include "libcommon/session/ledger_record.h"
#include "libcommon/session/paths.h"

namespace magi::session {

struct LedgerContents {
  std::vector<Change> changes;   // in order
  std::uint64_t torn_bytes = 0;  // of an unfinished last record, left out of `changes`
};

// Nothing where the session has no ledger.  kBadRecord where a record before the last cannot be read; kUnsafe (S5).
Result<LedgerContents> read_ledger(const Home& home, std::string_view session_id);

// Bytes of a state that a change `saved`.  kNotFound or kBadRecord where the store does not have them (any more).
Result<std::string> read_saved(const Home& home, const std::string& sha256);

// Adds to one session's ledger.  Touches nothing before the first record().
class Ledger {
 public:
  Ledger(Home home, std::string session_id, std::int64_t (*now_ms)() = &unix_time_ms)
      : home_(std::move(home)), id_(std::move(session_id)), now_ms_(now_ms) {}

  // Where this is the first change of the file in its turn, `before_bytes` go to the blob store; then the change is
  // recorded.  Both are on the disk when it returns without an error: only then may the file be touched.  Sets
  // `saved` and `at`.  Requires: `before_bytes` belong to `before`; ignored without one, or where it has no digest.
  // kNoSpace, kBusy, kUnsafe, kBadRecord (a ledger that cannot be read).
  Result<void> record(Change& change, std::string_view before_bytes);

  // After an error: the record can be seen, and only whether it survives a crash is in doubt ("committed but not
  // durable").  Trying again would record it twice.
  bool committed_undurable() const { return committed_undurable_; }

 private:
  Result<void> record_locked(const os::Dir& folder, Change& change, std::string_view before_bytes);
  Result<void> append(const os::Dir& folder, const std::string& line);
  Result<void> learn_turns();

  Home home_;
  std::string id_;
  std::int64_t (*now_ms_)();
  bool turns_known_ = false;                  // from the ledger as it was before the first record
  std::map<std::string, std::string> turns_;  // file -> the turn of its last change
  // By this process: one that was killed may have left names that are not on the disk.
  bool folders_synced_ = false, name_synced_ = false;
  bool committed_undurable_ = false;
};

// Gives session `to` a ledger with the first `count` changes of that of `from`; blobs are shared.  Durable when it
// returns.  Does nothing where `count` is 0.  kBusy where `to` has a ledger already.
Result<void> copy_ledger(const Home& home, std::string_view from, std::string_view to, std::size_t count);

// Removing ledgers together with their sessions (requirement N3):
//     LedgerPruning pruning(home);
//     for each session that was deleted: pruning.remove(id);
//     pruning.remove_unnamed_blobs();
class LedgerPruning {
 public:
  explicit LedgerPruning(Home home);
  LedgerPruning(LedgerPruning&&) noexcept;
  ~LedgerPruning();

  // True when there was one.  kUnsafe: what has its name is no file of ours, and stays.
  Result<bool> remove(std::string_view session_id);

  struct Blobs {
    std::int64_t removed = 0, bytes = 0, failed = 0;
  };
  // Removes each blob that none of the ledgers that are left names; what a crash left without a record goes too.  An
  // error, with nothing removed, where a ledger cannot be read.  Holds the lock while it reads all ledgers.
  Result<Blobs> remove_unnamed_blobs();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::session
