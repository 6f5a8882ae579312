#include "tests/fake/peer.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "libcommon/base/clock.h"

namespace magi::fake {

bool SocketPeer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool SocketPeer::pause(double milliseconds) {
  const std::int64_t end = monotonic_ns() + static_cast<std::int64_t>(milliseconds * 1e6);
  while (true) {
    const std::int64_t left = end - monotonic_ns();
    if (left <= 0) return true;
    pollfd peer{fd_, POLLRDHUP, 0};
    const timespec wait{left / 1'000'000'000, left % 1'000'000'000};
    if (::ppoll(&peer, 1, &wait, nullptr) > 0) return false;
  }
}

void SocketPeer::reset_on_close() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace magi::fake
