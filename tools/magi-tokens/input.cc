#include "tools/magi-tokens/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "libcommon/tokens/o200k.h"

namespace magi::measure {
namespace {

class Chunks {
 public:
  Chunks(int fd, std::size_t max_bytes, const std::function<void(std::string&)>& take)
      : fd_(fd), left_(max_bytes), take_(take) {}

  Result<void> run() {
    while (left_ > 0) {
      const std::size_t held = held_.size(), wanted = std::min(left_, std::max(kChunkBytes, held));
      held_.resize(held + wanted);
      MAGI_TRY(const std::size_t got, fill(held, wanted));
      held_.resize(held + got);
      left_ -= got;
      if (got < wanted) break;
      hand_over(o200k::last_split(std::string_view(held_).substr(held ? held - 1 : 0)), held ? held - 1 : 0);
    }
    if (!held_.empty()) take_(held_);
    return {};
  }

 private:
  Result<std::size_t> fill(std::size_t at, std::size_t wanted) {
    std::size_t got = 0;
    while (got < wanted) {
      MAGI_TRY(const std::size_t size, os::read_some(fd_, held_.data() + at + got, wanted - got));
      if (size == 0) break;
      got += size;
    }
    return got;
  }

  void hand_over(std::size_t split, std::size_t searched) {
    if (split == 0) return;
    const std::string rest = held_.substr(searched + split);
    held_.resize(searched + split);
    take_(held_);
    held_ = rest;
  }

  int fd_;
  std::size_t left_;
  const std::function<void(std::string&)>& take_;
  std::string held_;
};

}  // namespace

Result<void> read_chunks(const std::string& name, std::size_t max_bytes,
                         const std::function<void(std::string&)>& take) {
  if (name.empty() || name == "-") return Chunks(STDIN_FILENO, max_bytes, take).run();
  const os::Fd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return errno_error("cannot open " + quoted(name), errno);
  auto read = Chunks(fd.get(), max_bytes, take).run();
  if (!read) read.error().what = quoted(name) + ": " + read.error().what;
  return read;
}

}  // namespace magi::measure
