#include "tools/magi-tool/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tools/magi-tool/beneath.h"

namespace magi::toolbox {
namespace {

constexpr unsigned kMostThreads = 8;
constexpr std::size_t kFilesAtOnce = 256;  // of one folder, before other threads may take a share
constexpr std::size_t kWorthAThread = 4;   // tasks that wait before a thread is started for them
constexpr unsigned kVisitsBetweenLooks = 32;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_version_control(std::string_view name) {
  return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj";
}

unsigned char type_of(int folder, const char* name) {
  struct stat status {};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_LNK;
}

// Names one after the other, each behind its type and ended by NUL.
class Names {
 public:
  void add(unsigned char type, std::string_view name) {
    bytes_ += static_cast<char>(type);
    bytes_.append(name).push_back('\0');
    ++count_;
  }
  void clear() {
    bytes_.clear();
    count_ = 0;
  }
  std::size_t size() const { return count_; }
  template <class Each>
  void each(Each visit) const {
    for (std::size_t at = 0; at < bytes_.size();) {
      const char* const name = bytes_.data() + at + 1;
      visit(static_cast<unsigned char>(bytes_[at]), name);
      at += 2 + std::strlen(name);
    }
  }

 private:
  std::string bytes_;
  std::size_t count_ = 0;
};

}  // namespace

struct Walk::Task {
  std::string path;  // of the folder, below the start, with a final '/'; empty: the start
  IgnoreRules rules;
  // Some of its files, where it has many; without them the task is the whole folder.
  std::shared_ptr<const os::Fd> folder;
  Names files;
};

// The last task that came is taken first: few folders wait, and their parents are still in the kernel's cache.
struct Walk::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Task> tasks;
  unsigned busy = 0;  // threads that may still add tasks
  std::vector<std::thread> helpers;
};

struct Walk::Worker {
  unsigned number;
  std::string path, full;  // of the entry that is looked at
  Names names;
  std::vector<Task> found;
  unsigned visits = 0;
};

Walk::Walk(const Workspace& workspace, WalkOptions options, std::function<bool()> cancelled)
    : workspace_(workspace),
      options_(std::move(options)),
      cancelled_(std::move(cancelled)),
      queue_(std::make_unique<Queue>()) {
  if (options_.threads == 0) options_.threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
}

Walk::~Walk() = default;

Result<void> Walk::run(const Place& start, const Visit& visit) {
  MAGI_TRY(start_, workspace_.open(start, O_RDONLY | O_DIRECTORY));
  const std::string real = Workspace::path_of(start_.get());
  if (workspace_.hides_inside()) absolute_ = real;
  visit_ = &visit;
  queue_->tasks.push_back({"", IgnoreRules::at_start(real, options_.global_file), {}, {}});
  Worker worker{0, {}, {}, {}, {}};
  work(worker);
  for (std::thread& helper : queue_->helpers) helper.join();
  return {};
}

void Walk::work(Worker& worker) {
  Queue& queue = *queue_;
  std::unique_lock lock(queue.mutex);
  for (;;) {
    queue.changed.wait(lock, [&] { return stopped() || !queue.tasks.empty() || queue.busy == 0; });
    if (stopped() || queue.tasks.empty()) break;
    const Task task = std::move(queue.tasks.back());
    queue.tasks.pop_back();
    ++queue.busy;
    lock.unlock();
    if (task.folder != nullptr)
      visit_batch(worker, task);
    else
      open_folder(worker, task);
    look_for_cancel(worker);
    lock.lock();
    --queue.busy;
    for (Task& one : worker.found) queue.tasks.push_back(std::move(one));
    worker.found.clear();
    if (worker.number == 0 && queue.tasks.size() >= kWorthAThread && queue.helpers.size() + 1 < options_.threads)
      queue.helpers.emplace_back([this, number = static_cast<unsigned>(queue.helpers.size() + 1)] {
        Worker helper{number, {}, {}, {}, {}};
        work(helper);
      });
    if (!queue.tasks.empty() || queue.busy == 0) queue.changed.notify_all();
  }
  queue.changed.notify_all();
}

void Walk::look_for_cancel(const Worker& worker) {
  if (worker.number != 0 || stopped() || !cancelled_()) return;
  was_cancelled_ = true;
  stop_ = true;
}

// By its whole path from the start: no link on the way is followed, whatever became of the folders meanwhile.
void Walk::open_folder(Worker& worker, const Task& task) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  os::Fd folder = task.path.empty() ? open_beneath(start_.get(), ".", kFlags)
                                    : open_beneath(start_.get(), task.path, kFlags, 0, Links::kRefuse);
  if (folder)
    list(worker, task, std::move(folder));
  else
    ++skipped_.unreadable_folders;
}

void Walk::list(Worker& worker, const Task& task, os::Fd folder) {
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder.get()));
  if (!entries) {
    ++skipped_.unreadable_folders;
    return;
  }
  // Shared with tasks for a part of its files; the listing itself closes the original.
  const int fd = folder.release();
  worker.names.clear();
  IgnoreRules::Present present;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    IgnoreRules::note(name, present);
    if (!is_version_control(name)) worker.names.add(entry->d_type, name);
  }
  const bool at_start = task.path.empty();
  const bool own_rules = present.gitignore || present.ignore || present.rgignore || present.repository;
  const IgnoreRules rules = own_rules && !at_start ? task.rules.below(fd, task.path, present) : task.rules;
  std::shared_ptr<const os::Fd> shared;
  Names batch;
  const auto pass_on = [&] {
    if (batch.size() == 0) return;
    if (!shared) shared = std::make_shared<const os::Fd>(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    worker.found.push_back({task.path, {}, shared, std::exchange(batch, {})});
  };
  std::size_t files = 0;
  worker.path = task.path;
  worker.full = rules.prefix() + task.path;
  worker.names.each([&](unsigned char type, const char* name) {
    if (stopped()) return;
    if (type == DT_UNKNOWN) type = type_of(fd, name);
    const bool is_folder = type == DT_DIR;
    worker.path.resize(task.path.size());
    worker.path += name;
    worker.full.resize(rules.prefix().size() + task.path.size());
    worker.full += name;
    if (is_left_out(worker, rules, name, is_folder)) return;
    if (!is_folder && ++files > kFilesAtOnce) {
      batch.add(type, name);
      if (batch.size() == kFilesAtOnce) pass_on();
      return;
    }
    visit(worker, {worker.path, fd, name, is_folder, type == DT_REG});
    if (is_folder) worker.found.push_back({worker.path + '/', rules, {}, {}});
  });
  pass_on();
}

bool Walk::is_left_out(Worker& worker, const IgnoreRules& rules, std::string_view name, bool is_folder) {
  if (!absolute_.empty() && workspace_.is_hidden(absolute_ + '/' + worker.path)) return true;
  const bool hidden = name.starts_with('.') && !options_.hidden;
  if (options_.ignored && !hidden) return false;
  const Verdict verdict = rules.verdict(worker.full, name, is_folder);
  if (verdict == Verdict::kIgnored && !options_.ignored) {
    ++skipped_.ignored;
    return true;
  }
  if (!hidden || verdict == Verdict::kKept) return false;
  ++skipped_.hidden;
  return true;
}

void Walk::visit_batch(Worker& worker, const Task& task) {
  worker.path = task.path;
  task.files.each([&](unsigned char type, const char* name) {
    if (stopped()) return;
    worker.path.resize(task.path.size());
    worker.path += name;
    visit(worker, {worker.path, task.folder->get(), name, false, type == DT_REG});
  });
}

void Walk::visit(Worker& worker, const WalkEntry& entry) {
  if ((*visit_)(worker.number, entry) == Next::kStop) stop_ = true;
  if (++worker.visits % kVisitsBetweenLooks == 0) look_for_cancel(worker);
}

}  // namespace magi::toolbox
