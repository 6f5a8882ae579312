// The files that the model has seen, so that a write over something newer is refused (FIL-11).
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-tool/call.h"

namespace magi::toolbox {

// Content that is longer is known by its stamp only, within one process.
inline constexpr std::int64_t kLargestHashed = 64 * 1024 * 1024;

// What tells one state of a file from another without reading it.
struct Stamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, mtime_ns = 0, ctime_ns = 0;
  bool operator==(const Stamp&) const = default;
};
Stamp stamp_of(const struct stat& status);

class Observed {
 public:
  // `earlier` calls learn() with what was seen before this process; it runs once, when that first matters.
  void set_earlier(std::function<void(Observed&)> earlier) { earlier_ = std::move(earlier); }
  // `sha256` may be empty for large files.
  void saw(const std::string& path, const Stamp& stamp, std::string sha256);
  // What an earlier process knew; what this one has seen itself counts more.
  void learn(const std::string& path, std::string sha256);
  // The model was told that there is no such file.
  void forget(const std::string& path) { files_[path] = {.stamp = {}, .sha256 = {}, .gone = true}; }

  // kDenied "changed since read" when the file at `path` is not the one that was seen.  What the call says the model
  // has seen counts before what this process remembers; a file that was never seen passes.
  Result<void> check(const std::vector<Seen>& from_call, const std::string& path, const Stamp& stamp,
                     const std::string& sha256);

 private:
  struct State {
    Stamp stamp;
    std::string sha256;
    bool gone = false;
  };
  std::map<std::string, State> files_;
  std::function<void(Observed&)> earlier_;
};

}  // namespace magi::toolbox
