// File contents by their SHA-256, shared by all ledgers of a home: `checkpoints/blobs/<sha256>`.  Nothing here locks;
// see ledger.h for who may do what under which lock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/safe_open.h"

namespace magi::session {

class BlobStore {
 public:
  // kNotFound unless it exists or `if_missing` makes it.
  static Result<BlobStore> open(const os::Dir& checkpoints, os::IfMissing if_missing);

  // On the disk, name and bytes, when it returns.  Requires: `sha256` is that of `bytes`.  Costs two syncs, or one
  // where the blob is there already.
  Result<void> put(const std::string& sha256, std::string_view bytes) const;

  // kNotFound; kBadRecord where the bytes are not what their name says.
  Result<std::string> get(const std::string& sha256) const;

  // Of whole blobs, in no order, and what killed writers left.
  struct Names {
    std::vector<std::string> blobs, leftovers;
  };
  Result<Names> names() const;
  Result<void> remove(const std::string& name) const { return dir_.remove_file(name); }
  // Length of a blob.
  Result<std::uint64_t> size(const std::string& sha256) const;
  Result<void> sync() const { return dir_.sync(); }

 private:
  explicit BlobStore(os::Dir dir) : dir_(std::move(dir)) {}
  os::Dir dir_;
};

// 64 lower-case hexadecimal digits.
bool is_digest(std::string_view text);

}  // namespace magi::session
