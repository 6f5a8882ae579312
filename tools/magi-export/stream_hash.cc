#include "tools/magi-export/stream_hash.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "libcommon/digest/sha256.h"

namespace magi::exporting {
namespace {

constexpr std::size_t kBlockBytes = 512 * 1024;

}  // namespace

struct StreamHash::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  std::string filling, hashing;  // what is collected; what the thread works at, empty when it has nothing
  bool ended = false;
  Sha256 sha256;
  std::thread thread{[this] { work(); }};

  Impl() { filling.reserve(kBlockBytes); }
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      ended = true;
    }
    changed.notify_all();
    thread.join();
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return ended || !hashing.empty(); });
      if (hashing.empty()) return;
      lock.unlock();
      sha256.update(hashing);
      lock.lock();
      hashing.clear();
      changed.notify_all();
    }
  }

  void hand_over() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return hashing.empty(); });
    std::swap(filling, hashing);
    changed.notify_all();
  }
};

StreamHash::StreamHash() : impl_(std::make_unique<Impl>()) {}
StreamHash::StreamHash(StreamHash&&) noexcept = default;
StreamHash::~StreamHash() = default;

void StreamHash::update(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kBlockBytes - impl_->filling.size());
    impl_->filling.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (impl_->filling.size() == kBlockBytes) impl_->hand_over();
  }
}

std::string StreamHash::finish() {
  if (!impl_->filling.empty()) impl_->hand_over();
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [&] { return impl_->hashing.empty(); });
  std::string hex = impl_->sha256.hex();
  impl_->sha256 = Sha256();
  return hex;
}

}  // namespace magi::exporting
