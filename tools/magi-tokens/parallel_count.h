// Chunks of text counted by several threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace magi::measure {

struct Count {
  std::string name;  // empty: stdin
  std::uint64_t tokens = 0, replaced_bytes = 0;
};

class ParallelCount {
 public:
  // Threads start with the second chunk; the caller's is one of them.
  explicit ParallelCount(unsigned threads) : threads_(threads) {}
  ~ParallelCount() { finish(); }

  // Adds to `count`, at the latest when finish() returns; it must stay where it is.  Takes the chunk's bytes and leaves
  // a buffer in their place.
  void add(std::string& chunk, Count& count);
  // Waits for all that was added.
  void finish();

 private:
  struct Job {
    std::string chunk;
    Count* count = nullptr;
  };

  void work();
  void run(Job& job);

  unsigned threads_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<std::string> buffers_;
  bool first_ = true, ending_ = false;
};

}  // namespace magi::measure
