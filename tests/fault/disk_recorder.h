// Records every disk call of a run below one folder, in a form that states can be rebuilt from: which file (not which
// name) was written, which folder's entries changed, what was synced.  See crash_explorer.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libcommon/os/disk.h"

namespace magi::test {

// A tree of folders and files in memory.  Node 0 is the top; a node without a name in a reachable folder is gone.
struct Image {
  struct Node {
    bool is_folder = false;
    mode_t mode = 0;
    ino_t number = 0;                    // the inode that it had
    std::int64_t mtime_ns = 0;           // of a file
    std::string bytes;                   // of a file
    std::map<std::string, int> entries;  // of a folder: name -> node
  };
  std::vector<Node> nodes;
};

// What reaches the disk whole.  A write over several pages is recorded as up to three.
inline constexpr std::uint64_t kPageBytes = 4096;

struct DiskOp {
  enum class Kind {
    kEnter,       // `name` in folder `dir` stands for `node` (created, made or linked)
    kRename,      // `name` in `dir` became `to_name` in `to_dir`
    kExchange,    // the two changed places; `node` now has `to_name`
    kRemove,      // `name` in `dir` is gone
    kWrite,       // `bytes` at `offset` of `node`
    kTruncate,    // `node` has `offset` bytes
    kSync,        // `node`, file or folder, was synced
    kFailedSync,  // a sync failed: what it would have made durable may be lost whatever later syncs say
  };
  Kind kind;
  int node = -1, dir = -1, to_dir = -1;
  std::string name{}, to_name{}, bytes{};
  std::uint64_t offset = 0;
  std::int64_t mtime_ns = 0;  // after a write
};

struct DiskTrace {
  Image before;             // nodes made later are appended to it, with no name
  std::vector<DiskOp> ops;  // that changed or synced something below the folder
  struct Mark {
    std::size_t at_op;  // so many operations came before
    std::string what;
  };
  std::vector<Mark> calls;  // all of them, reads and locks too, by name
  std::vector<Mark> acknowledged;
};

// In effect while it lives, on top of the table that is in use (a FaultyDisk, say); one at a time.
class DiskRecorder {
 public:
  explicit DiskRecorder(const std::string& folder);
  ~DiskRecorder();
  DiskRecorder(const DiskRecorder&) = delete;
  DiskRecorder& operator=(const DiskRecorder&) = delete;

  void acknowledge(std::string what);
  DiskTrace take();

 private:
  os::ScopedDisk scope_;
};

// "write node 7 +312 at 904", for messages.
std::string describe(const DiskOp& op);

}  // namespace magi::test
