#include "libcommon/os/fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace magi::os {

void Fd::reset(int fd) {
  const int saved = errno;
  // EINTR on close: Linux has closed it all the same.
  if (fd_ >= 0) ::close(fd_);
  errno = saved;
  fd_ = fd;
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("cannot make a pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> duplicate(int fd, int at_least) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, at_least);
  if (copy < 0) return errno_error("cannot duplicate a descriptor", errno);
  return Fd(copy);
}

Result<void> set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (flags < 0 || (flags != wanted && ::fcntl(fd, F_SETFL, wanted) < 0))
    return errno_error("cannot change a descriptor's mode", errno);
  return {};
}

}  // namespace magi::os
