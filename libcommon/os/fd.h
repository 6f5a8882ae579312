// One owner for each file descriptor.
#pragma once

#include <utility>

#include "libcommon/base/result.h"

namespace magi::os {

// Closes on destruction; -1 is "none".
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Gives the descriptor up; the caller closes it.
  int release() { return std::exchange(fd_, -1); }
  // Leaves errno as it was.
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};
// Both ends close-on-exec and blocking.
Result<Pipe> make_pipe();

// A close-on-exec copy of `fd`, numbered at least `at_least`.
Result<Fd> duplicate(int fd, int at_least = 3);

Result<void> set_nonblocking(int fd, bool on);

}  // namespace magi::os
