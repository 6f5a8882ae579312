// A table of disk calls that counts them and fails one: the means of the fault sweeps.
#pragma once

#include <string>
#include <vector>

#include "libcommon/os/disk.h"

namespace magi::test {

enum class Fault {
  kEio,         // fails with EIO, nothing done
  kEnospc,      // fails with ENOSPC, nothing done
  kEintr,       // fails once with EINTR, nothing done
  kShortWrite,  // writes half and succeeds; later writes fail with ENOSPC.  Other calls are left alone
  kStuckWrite,  // the same, and what was written cannot be cut off either
  kShortOnce,   // writes half and succeeds; nothing else fails
  kFull,        // from this call on, whatever needs room fails with ENOSPC
  kReadOnly,    // from this call on, whatever changes or syncs something fails with EROFS
};
// For messages.
const char* fault_name(Fault fault);

// In effect while it lives; one at a time.
class FaultyDisk {
 public:
  // `fail_at`: the call that fails, counted from 1; 0: none.
  FaultyDisk(Fault fault, int fail_at);
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  bool fired() const;
  // Names of all calls in order, "write", "fdatasync", ...
  const std::vector<std::string>& calls() const;
  int count(const std::string& name) const;
  // Bytes that pread() gave.
  std::size_t bytes_read() const;

 private:
  os::ScopedDisk scope_;
};

}  // namespace magi::test
