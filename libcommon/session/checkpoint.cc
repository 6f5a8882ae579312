#include "libcommon/session/checkpoint.h"

#include <algorithm>
#include <map>

#include "libcommon/os/publish.h"
#include "libcommon/session/blob_store.h"
#include "libcommon/session/checkpoint_file.h"

namespace magi::session {
namespace {

using State = std::optional<FileState>;

bool same(const State& a, const State& b) { return a && b ? a->same_as(*b) : !a && !b; }
bool unknown(const State& state) { return state && state->sha256.empty(); }

constexpr std::string_view kTooLarge = "larger than 64 MiB, no checkpoint holds it";

// Changes of one file, in order.
using Chain = std::vector<const Change*>;

// Whether nobody else changed the file between the first and the last of them.
bool has_no_gap(const Chain& chain) {
  for (std::size_t at = 0; at + 1 < chain.size(); ++at)
    if (!same(chain[at + 1]->before, chain[at]->after) && !same(chain[at + 1]->before, chain[at]->before)) return false;
  return true;
}

std::string_view conflict_of(const Chain& chain, const State& present) {
  const Change& last = *chain.back();
  if (!same(present, last.after) && !same(present, last.before)) {
    if (!present) return "deleted since the tools changed it";
    if (!last.after) return "made again since the tools deleted it";
    return present->sha256 == last.after->sha256 ? "its mode was changed since" : "changed since the tools did";
  }
  return has_no_gap(chain) ? "" : "someone else changed it between the tools' changes";
}

bool is_kept(const Home& home, const std::string& sha256) {
  const auto folder = open_checkpoints(home, os::IfMissing::kFail);
  if (!folder) return false;
  const auto blobs = BlobStore::open(*folder, os::IfMissing::kFail);
  return blobs && blobs->size(sha256);
}

void decide(const Home& home, const Chain& chain, bool force, RewoundFile& file) {
  const auto settle = [&](Fate fate, std::string_view reason) {
    file.fate = fate;
    file.reason = reason;
  };
  const auto found = find_file(file.root, file.path);
  const bool gone = !found && found.error().code == ErrorCode::kNotFound;
  if (!found && !gone)
    return settle(found.error().code == ErrorCode::kBusy ? Fate::kConflict : Fate::kUnavailable, found.error().what);
  if (found) file.present = found->state;
  if (same(file.present, file.target)) return settle(Fate::kUnchanged, "");
  if (unknown(file.target)) return settle(Fate::kUnavailable, kTooLarge);
  if (file.target && !is_kept(home, file.target->sha256))
    return settle(Fate::kUnavailable, "the checkpoint store does not have its bytes any more");
  const std::string_view conflict = unknown(file.present) ? kTooLarge : conflict_of(chain, file.present);
  if (!conflict.empty() && !force) return settle(Fate::kConflict, conflict);
  settle(file.target ? Fate::kRestore : Fate::kRemove, conflict);
  file.forced = !conflict.empty();
}

// One file of a plan.
class Restorer {
 public:
  Restorer(const Home& home, Ledger& ledger, const std::string& rewind_id, RewoundFile& file)
      : home_(home), ledger_(ledger), rewind_id_(rewind_id), file_(file) {}

  Result<void> run() {
    std::int64_t made = 0;
    MAGI_TRY(FoundFile found, find_file(file_.root, file_.path, file_.fate == Fate::kRestore, &made));
    if (!same(found.state, file_.present) && !(unknown(found.state) && file_.forced))
      return make_error(ErrorCode::kBusy, "changed while this rewind was under way");
    MAGI_TRY(const std::string present, present_bytes(found));
    const auto record = [&](mode_t mode) { return record_change(found, present, made, mode); };
    if (file_.fate == Fate::kRemove) {
      MAGI_CHECK(os::withdraw(found.folder.get(), found.name, found.status, file_.path, record));
      file_.fate = Fate::kRemoved;
      return {};
    }
    MAGI_TRY(const std::string bytes, read_saved(home_, file_.target->sha256));
    const os::NewContent content{bytes, mode_of(*file_.target), record, true};
    MAGI_CHECK(os::publish(found.folder.get(), found.name, content, found.state ? &found.status : nullptr, file_.path));
    file_.fate = Fate::kRestored;
    return {};
  }

 private:
  // For the record, which keeps them.
  Result<std::string> present_bytes(const FoundFile& found) const;
  Result<void> record_change(const FoundFile& found, const std::string& present, std::int64_t made, mode_t mode) {
    Change change;
    change.turn_id = rewind_id_;
    change.by = "rewind";
    change.root = file_.root;
    change.path = file_.path;
    change.before = found.state;
    change.after = file_.target;
    if (change.after) change.after->mode = mode_text(mode);
    change.folders_made = made;
    return ledger_.record(change, present);
  }

  const Home& home_;
  Ledger& ledger_;
  const std::string& rewind_id_;
  RewoundFile& file_;
};

Result<std::string> Restorer::present_bytes(const FoundFile& found) const {
  if (!found.state || found.state->sha256.empty()) return std::string();
  return read_found(found, file_.path);
}

}  // namespace

std::string_view fate_name(Fate fate) {
  switch (fate) {
    case Fate::kRestore: return "restore";
    case Fate::kRemove: return "remove";
    case Fate::kUnchanged: return "unchanged";
    case Fate::kConflict: return "conflict";
    case Fate::kUnavailable: return "unavailable";
    case Fate::kRestored: return "restored";
    case Fate::kRemoved: return "removed";
    case Fate::kFailed: return "failed";
  }
  return "";
}

std::vector<RewoundFile> plan_rewind(const Home& home, const std::vector<Change>& changes, std::size_t first,
                                     bool force) {
  std::vector<RewoundFile> files;
  std::vector<Chain> chains;
  std::map<std::string, std::size_t> index;
  for (std::size_t at = first; at < changes.size(); ++at) {
    const Change& change = changes[at];
    const auto [known, is_new] = index.emplace(change.absolute(), files.size());
    if (is_new) {
      RewoundFile file;
      file.root = change.root;
      file.path = change.path;
      file.target = change.before;
      files.push_back(std::move(file));
      chains.emplace_back();
    }
    files[known->second].folders_made = std::max(files[known->second].folders_made, change.folders_made);
    chains[known->second].push_back(&change);
  }
  for (std::size_t at = 0; at < files.size(); ++at) decide(home, chains[at], force, files[at]);
  return files;
}

bool apply_rewind(const Home& home, const std::string& session_id, const std::string& rewind_id,
                  std::vector<RewoundFile>& files, const std::function<bool()>& go_on) {
  Ledger ledger(home, session_id);
  bool complete = true;
  for (RewoundFile& file : files) {
    if (!file.is_planned()) continue;
    if (complete && !go_on()) complete = false;
    if (!complete) {
      file.fate = Fate::kFailed;
      file.reason = "interrupted before it was reached";
      continue;
    }
    if (auto done = Restorer(home, ledger, rewind_id, file).run(); !done) {
      file.fate = done.error().code == ErrorCode::kBusy ? Fate::kConflict : Fate::kFailed;
      file.reason = std::move(done.error().what);
    }
  }
  // The deepest first, and after all files: only an empty folder can go.
  std::vector<const RewoundFile*> made;
  for (const RewoundFile& file : files)
    if (file.folders_made > 0 && !file.target && (file.fate == Fate::kRemoved || file.fate == Fate::kUnchanged))
      made.push_back(&file);
  std::stable_sort(made.begin(), made.end(), [](const RewoundFile* a, const RewoundFile* b) {
    return std::count(a->path.begin(), a->path.end(), '/') > std::count(b->path.begin(), b->path.end(), '/');
  });
  for (const RewoundFile* file : made) remove_empty_folders(file->root, file->path, file->folders_made);
  return complete;
}

}  // namespace magi::session
