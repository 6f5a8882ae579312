// Walks a folder on several threads, without following links, without what git ignores, hidden files, and files of
// ours.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tool/ignore.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

struct WalkOptions {
  bool hidden = false;      // visit names that begin with '.', too
  bool ignored = false;     // visit what the rules ignore, too
  std::string global_file;  // the user's own rules
  unsigned threads = 0;     // 0: as many as the machine has, up to 8
};

struct WalkEntry {
  std::string_view path;  // relative to where the walk began
  int folder;             // descriptor of the folder that holds it, for openat()
  const char* name;
  bool is_folder, is_regular;
};

class Walk {
 public:
  enum class Next { kGoOn, kStop };
  // Called from several threads at once; `worker` is below threads().
  using Visit = std::function<Next(unsigned worker, const WalkEntry&)>;

  // `cancelled` is asked every few files, by the calling thread only.
  Walk(const Workspace& workspace, WalkOptions options, std::function<bool()> cancelled);
  ~Walk();
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  unsigned threads() const { return options_.threads; }

  // Blocks until all is visited, in no particular order.  An error only where the start itself cannot be read.
  Result<void> run(const Place& start, const Visit& visit);

  // Long work on one file asks whether to go on; any thread.
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  bool was_cancelled() const { return was_cancelled_; }

  // Files and folders that were left out; version control's own folders do not count.
  struct Skipped {
    std::atomic<std::int64_t> hidden = 0, ignored = 0, unreadable_folders = 0;
  };
  const Skipped& skipped() const { return skipped_; }

 private:
  struct Queue;
  struct Task;
  struct Worker;

  void work(Worker& worker);
  void open_folder(Worker& worker, const Task& task);
  void list(Worker& worker, const Task& task, os::Fd folder);
  void visit_batch(Worker& worker, const Task& task);
  bool is_left_out(Worker& worker, const IgnoreRules& rules, std::string_view name, bool is_folder);
  void visit(Worker& worker, const WalkEntry& entry);
  void look_for_cancel(const Worker& worker);

  const Workspace& workspace_;
  WalkOptions options_;
  std::function<bool()> cancelled_;
  const Visit* visit_ = nullptr;
  std::unique_ptr<Queue> queue_;
  os::Fd start_;
  std::string absolute_;  // of the start; kept only where something hidden of ours lies inside
  std::atomic<bool> stop_ = false;
  bool was_cancelled_ = false;
  Skipped skipped_;
};

}  // namespace magi::toolbox
