// Walks a folder in sorted order, without following links, without what git ignores, and without hidden files of ours.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tool/ignore.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

struct WalkEntry {
  std::string_view path;  // relative to where the walk began
  int folder;             // descriptor of the folder that holds it, for openat()
  const char* name;
  bool is_folder, is_regular;
};

class Walk {
 public:
  enum class Next { kGoOn, kStop };
  using Visit = std::function<Next(const WalkEntry&)>;

  // `cancelled` is asked once a folder and every few files.
  Walk(const Workspace& workspace, std::function<bool()> cancelled)
      : workspace_(workspace), cancelled_(std::move(cancelled)) {}

  // Folders are visited before what they hold.  An error only where the start itself cannot be read.
  Result<void> run(const Place& start, const Visit& visit);

  bool was_cancelled() const { return was_cancelled_; }
  std::int64_t unreadable_folders() const { return unreadable_; }

 private:
  Next walk_folder(os::Fd folder, const std::string& path, int depth);
  Next visit_one(int folder, const std::string& path, const char* name, unsigned char type, int depth);

  const Workspace& workspace_;
  std::function<bool()> cancelled_;
  const Visit* visit_ = nullptr;
  IgnoreRules rules_;
  std::string absolute_;  // of the start; kept only where something hidden lies inside
  std::int64_t unreadable_ = 0;
  unsigned visited_ = 0;
  bool was_cancelled_ = false;
};

}  // namespace magi::toolbox
