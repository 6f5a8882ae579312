#include "libcommon/tool/stdout.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace magi::tool {
namespace {

[[noreturn]] void die_by_sigpipe() {
  signal(SIGPIPE, SIG_DFL);
  sigset_t only_pipe;
  sigemptyset(&only_pipe);
  sigaddset(&only_pipe, SIGPIPE);
  sigprocmask(SIG_UNBLOCK, &only_pipe, nullptr);
  raise(SIGPIPE);
  _exit(128 + SIGPIPE);
}

}  // namespace

Result<void> Stdout::write(std::string_view bytes) {
  if (!buffer_.empty() || bytes.size() < kLimitBytes) {
    buffer_ += bytes;
    return settle();
  }
  return write_now(bytes);
}

Result<void> Stdout::flush() {
  auto written = write_now(buffer_);
  buffer_.clear();
  return written;
}

Result<void> Stdout::write_now(std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EAGAIN) {  // a shared, non-blocking pipe: whoever made it so is not ours to change
      pollfd ready{fd_, POLLOUT, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (error == EPIPE && reader_gone_ == ReaderGone::kDie) die_by_sigpipe();
    gone_ = error == EPIPE;
    return errno_error("cannot write standard output", error);
  }
  return {};
}

}  // namespace magi::tool
