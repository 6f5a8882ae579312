// The states that a crash may leave behind after the first N operations of a recorded run.
//
// What a sync covered is there.  Of the rest, any part may be there: each write and each change of a folder by itself,
// a write in part, or the length of a file without its bytes (which are then NUL).  A rename is seen or not, never
// half.  After a failed sync, bytes that no later write touched again stay unsure for good, as Linux has it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tests/fault/disk_recorder.h"

namespace magi::test {

// Calls `visit` for every subset of what is unsure where that makes at most `most` states, otherwise for all, nothing,
// every prefix, all but one, one alone, and then subsets at random.  `tears`: also with each write of them there in
// part.  The same state may come more than once.
void each_crash_state(const DiskTrace& trace, std::size_t ops, std::size_t most, bool tears,
                      const std::function<void(const Image&, const std::string& about)>& visit);

// Equal for equal names, modes and bytes.
std::size_t fingerprint(const Image& image);

// Makes it real in `folder`, which is empty and stands for node 0.
void materialise(const Image& image, const std::string& folder);

// Disk calls report for what materialise() made the inode numbers that it had when it was recorded.
class SameInodes {
 public:
  SameInodes(const Image& image, const std::string& folder);
  ~SameInodes();
  SameInodes(const SameInodes&) = delete;
  SameInodes& operator=(const SameInodes&) = delete;

 private:
  os::ScopedDisk scope_;
};

}  // namespace magi::test
