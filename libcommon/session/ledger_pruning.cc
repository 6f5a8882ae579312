#include <optional>
#include <unordered_set>

#include "libcommon/os/io.h"
#include "libcommon/os/mutation_lock.h"
#include "libcommon/session/blob_store.h"
#include "libcommon/session/ledger.h"

namespace magi::session {
namespace {

// Longer lines are none of ours.
constexpr std::size_t kLongestLine = 16u << 20;

using Digests = std::unordered_set<std::string>;

// Whatever looks like a digest counts, in records of any kind and age: a blob too many is better than one too few.
void collect_digests(std::string_view line, Digests& digests) {
  constexpr std::string_view kKey = "\"sha256\":\"";
  for (std::size_t at = line.find(kKey); at != std::string_view::npos; at = line.find(kKey, at)) {
    at += kKey.size();
    if (const std::string_view digest = line.substr(at, 64); is_digest(digest)) digests.emplace(digest);
  }
}

Result<void> collect_from(const os::Dir& folder, const std::string& name, Digests& digests) {
  MAGI_TRY(const os::Fd file, folder.open_file(name, os::FileUse::kRead));
  os::LineReader lines(file.get(), kLongestLine);
  for (;;) {
    MAGI_TRY(const auto line, lines.next());
    if (!line) return {};
    collect_digests(*line, digests);
  }
}

}  // namespace

struct LedgerPruning::Impl {
  Home home;
  std::optional<os::Dir> folder, locks;
  std::optional<os::MutationLock> lock;  // points to `locks`

  explicit Impl(Home of) : home(std::move(of)) {}
  // False where there are no checkpoints.
  Result<bool> open();
  Result<Digests> named_digests() const;
};

Result<bool> LedgerPruning::Impl::open() {
  if (lock) return true;
  auto opened = open_checkpoints(home, os::IfMissing::kFail);
  if (!opened && opened.error().code == ErrorCode::kNotFound) return false;
  if (!opened) return opened.error();
  folder.emplace(*std::move(opened));
  MAGI_TRY(os::Dir opened_locks, open_locks(*folder));
  locks.emplace(std::move(opened_locks));
  MAGI_TRY(lock, os::MutationLock::open(*locks, file::kLedgersLock));
  return true;
}

Result<Digests> LedgerPruning::Impl::named_digests() const {
  Digests digests;
  MAGI_TRY(const std::vector<std::string> names, folder->names());
  for (const std::string& name : names)
    if (!file::session_id_of(name).empty()) MAGI_CHECK(collect_from(*folder, name, digests));
  return digests;
}

LedgerPruning::LedgerPruning(Home home) : impl_(std::make_unique<Impl>(std::move(home))) {}
LedgerPruning::LedgerPruning(LedgerPruning&&) noexcept = default;
LedgerPruning::~LedgerPruning() = default;

Result<bool> LedgerPruning::remove(std::string_view session_id) {
  MAGI_CHECK(check_session_id(session_id));
  MAGI_TRY(const bool any, impl_->open());
  if (!any) return false;
  const std::string name = file::ledger(session_id);
  const auto found = impl_->folder->stamp(name);
  if (!found && found.error().code == ErrorCode::kNotFound) return false;
  if (!found) return found.error();
  MAGI_TRY(const os::MutationLock::Held held, impl_->lock->acquire(os::MutationLock::Mode::kExclusive));
  MAGI_TRY(const os::Fd checked, impl_->folder->open_file(name, os::FileUse::kRead));
  MAGI_CHECK(impl_->folder->remove_file(name));
  return true;
}

Result<LedgerPruning::Blobs> LedgerPruning::remove_unnamed_blobs() {
  Blobs result;
  MAGI_TRY(const bool any, impl_->open());
  if (!any) return result;
  MAGI_TRY(const os::MutationLock::Held held, impl_->lock->acquire(os::MutationLock::Mode::kExclusive));
  const auto blobs = BlobStore::open(*impl_->folder, os::IfMissing::kFail);
  if (!blobs && blobs.error().code == ErrorCode::kNotFound) return result;
  if (!blobs) return blobs.error();
  MAGI_TRY(const Digests named, impl_->named_digests());
  MAGI_TRY(const BlobStore::Names names, blobs->names());
  // A crash must not bring back a ledger that names what is removed now.
  MAGI_CHECK(impl_->folder->sync());
  for (const std::string& name : names.leftovers) static_cast<void>(blobs->remove(name));
  for (const std::string& name : names.blobs) {
    if (named.contains(name)) continue;
    const auto size = blobs->size(name);
    if (blobs->remove(name)) {
      ++result.removed;
      result.bytes += size ? static_cast<std::int64_t>(*size) : 0;
    } else {
      ++result.failed;
    }
  }
  return result;
}

}  // namespace magi::session
