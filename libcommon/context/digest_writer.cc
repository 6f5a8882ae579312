#include "libcommon/context/digest_writer.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "libcommon/digest/sha256.h"

namespace magi::context {
namespace {

// Blocks that may wait for their digest: enough to keep both threads busy, 2 MiB at most.
constexpr std::size_t kQueueBlocks = 8;

}  // namespace

struct DigestWriter::Worker {
  Sha256 digest;  // of the thread's while it runs, else of the caller's
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> queue;
  std::deque<std::string> spare;  // emptied blocks, for their memory
  bool closed = false;

  void start() {
    try {
      thread = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      // No thread to be had: the caller digests.
    }
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return closed || !queue.empty(); });
      if (queue.empty()) return;
      std::string block = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      digest.update(block);
      block.clear();
      lock.lock();
      spare.push_back(std::move(block));
      changed.notify_all();
    }
  }

  // Takes the block and leaves an empty one.
  void take(std::string& block) {
    if (!thread.joinable()) {
      digest.update(block);
      block.clear();
      return;
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return queue.size() < kQueueBlocks; });
    queue.push_back(std::move(block));
    block = std::string();
    if (!spare.empty()) {
      block = std::move(spare.front());
      spare.pop_front();
    }
    changed.notify_all();
  }

  void join() {
    if (!thread.joinable()) return;
    {
      const std::lock_guard lock(mutex);
      closed = true;
    }
    changed.notify_all();
    thread.join();
  }
};

DigestWriter::DigestWriter(Sink sink, StreamDigest with)
    : sink_(std::move(sink)), worker_(with == StreamDigest::kSha256 ? std::make_unique<Worker>() : nullptr) {}
DigestWriter::~DigestWriter() {
  if (worker_) worker_->join();
}

// The thread is started by the first full block: a small stream is digested sooner than one starts.
Result<void> DigestWriter::pass_on() {
  if (worker_ && !worker_->thread.joinable() && buffer_.size() >= kBlockBytes) worker_->start();
  MAGI_CHECK(sink_(buffer_));
  if (worker_)
    worker_->take(buffer_);
  else
    buffer_.clear();
  return {};
}

Result<std::string> DigestWriter::finish() {
  if (!buffer_.empty()) MAGI_CHECK(pass_on());
  if (!worker_) return std::string();
  worker_->join();
  return "sha256:" + worker_->digest.hex();
}

}  // namespace magi::context
