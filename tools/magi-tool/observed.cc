#include "tools/magi-tool/observed.h"

#include <utility>

namespace magi::toolbox {
namespace {

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

}  // namespace

Stamp stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

void Observed::saw(const std::string& path, const Stamp& stamp, std::string sha256) {
  files_[path] = {.stamp = stamp, .sha256 = std::move(sha256)};
}

void Observed::learn(const std::string& path, std::string sha256) {
  files_.try_emplace(path, State{.stamp = {}, .sha256 = std::move(sha256)});
}

Result<void> Observed::check(const std::vector<Seen>& from_call, const std::string& path, const Stamp& stamp,
                             const std::string& sha256) {
  const auto changed = [&] {
    return make_error(ErrorCode::kDenied, quoted(path),
                      " has changed since read; nothing was written. Read it again first.");
  };
  for (const Seen& seen : from_call)
    if (seen.path == path) return seen.sha256 == sha256 ? Result<void>() : changed();
  auto known = files_.find(path);
  if (known == files_.end() && earlier_) {
    std::exchange(earlier_, nullptr)(*this);
    known = files_.find(path);
  }
  if (known == files_.end() || known->second.gone || known->second.stamp == stamp) return {};
  return !sha256.empty() && known->second.sha256 == sha256 ? Result<void>() : changed();
}

}  // namespace magi::toolbox
