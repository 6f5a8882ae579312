#include "libcommon/session/blob_store.h"

#include <algorithm>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/session/ledger_record.h"
#include "libcommon/session/paths.h"

namespace magi::session {

bool is_digest(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::all_of(text.begin(), text.end(), is_hex);
}

Result<BlobStore> BlobStore::open(const os::Dir& checkpoints, os::IfMissing if_missing) {
  MAGI_TRY(os::Dir dir, checkpoints.subdir(file::kBlobs, if_missing));
  return BlobStore(std::move(dir));
}

Result<void> BlobStore::put(const std::string& sha256, std::string_view bytes) const {
  // Whoever made it may have been killed before its name was on the disk.
  if (const auto known = dir_.stamp(sha256); known && known->length == bytes.size()) return dir_.sync();
  return os::replace_file(dir_, sha256, bytes, os::Sync::kDurable);
}

Result<std::string> BlobStore::get(const std::string& sha256) const {
  if (!is_digest(sha256)) return make_error(ErrorCode::kBadRecord, quoted(sha256), " is no digest");
  MAGI_TRY(std::string bytes, os::read_file(dir_, sha256, static_cast<std::size_t>(kLargestSaved)));
  if (sha256_hex(bytes) != sha256)
    return make_error(ErrorCode::kBadRecord, quoted(dir_.path_of(sha256)), " is damaged: its digest differs");
  return bytes;
}

Result<BlobStore::Names> BlobStore::names() const {
  MAGI_TRY(std::vector<std::string> all, dir_.names());
  Names names;
  for (std::string& name : all) {
    if (is_digest(name))
      names.blobs.push_back(std::move(name));
    else if (name.starts_with(os::kTemporaryPrefix))
      names.leftovers.push_back(std::move(name));
  }
  return names;
}

Result<std::uint64_t> BlobStore::size(const std::string& sha256) const {
  MAGI_TRY(const os::FileStamp stamp, dir_.stamp(sha256));
  return stamp.length;
}

}  // namespace magi::session
