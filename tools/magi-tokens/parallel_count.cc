#include "tools/magi-tokens/parallel_count.h"

#include <utility>

#include "libcommon/tokens/o200k.h"

namespace magi::measure {

void ParallelCount::add(std::string& chunk, Count& count) {
  Job job{std::move(chunk), &count};
  const bool is_first = std::exchange(first_, false);
  if (threads_ > 1 && !is_first && workers_.empty())
    for (unsigned i = 1; i < threads_; ++i) workers_.emplace_back([this] { work(); });
  if (!workers_.empty()) {
    std::lock_guard lock(mutex_);
    if (!buffers_.empty()) {
      chunk = std::move(buffers_.back());
      buffers_.pop_back();
    }
    if (jobs_.size() < threads_) {
      jobs_.push_back(std::move(job));
      changed_.notify_one();
      return;
    }
  }
  // All have enough to do: this thread takes its part.
  run(job);
  chunk = std::move(job.chunk);
}

void ParallelCount::finish() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  work();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void ParallelCount::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    run(job);
    lock.lock();
    buffers_.push_back(std::move(job.chunk));
  }
}

void ParallelCount::run(Job& job) {
  std::uint64_t replaced = 0;
  const std::uint64_t tokens = o200k::count(job.chunk, &replaced);
  std::lock_guard lock(mutex_);
  job.count->tokens += tokens;
  job.count->replaced_bytes += replaced;
}

}  // namespace magi::measure
