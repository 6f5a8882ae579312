#include "tests/fake/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace magi::fake {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address address_of(const std::string& text, std::uint16_t port) {
  Address address;
  if (text.find(':') != std::string::npos) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    v6.sin6_addr = in6addr_loopback;
    address.size = sizeof v6;
    return address;
  }
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.size = sizeof v4;
  return address;
}

std::uint16_t port_of(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(storage).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(storage).sin_port);
}

void send_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// One block from `from` to `to`.  False where there will be no more.
bool pass_on(int from, int to) {
  std::array<char, 64 * 1024> block;
  const ssize_t n = ::recv(from, block.data(), block.size(), 0);
  if (n < 0 && errno == EINTR) return true;
  if (n > 0) return send_all(to, {block.data(), static_cast<std::size_t>(n)});
  ::shutdown(to, SHUT_WR);
  return false;
}

}  // namespace

Result<Listening> listen_on(const std::string& address, std::uint16_t port) {
  const Address at = address_of(address, port);
  os::Fd fd(::socket(at.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at.storage), at.size) != 0 || ::listen(fd.get(), 128) != 0)
    return errno_error("cannot listen on " + address, errno);
  const std::uint16_t taken = port_of(fd.get());
  return Listening{std::move(fd), taken};
}

os::Fd accept_connection(int listener_fd) {
  os::Fd fd(::accept4(listener_fd, nullptr, nullptr, SOCK_CLOEXEC));
  if (fd) send_at_once(fd.get());
  return fd;
}

os::Fd connect_to(std::uint16_t port) {
  const Address at = address_of("127.0.0.1", port);
  os::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at.storage), at.size) != 0) return {};
  send_at_once(fd.get());
  return fd;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void relay(int first_fd, int second_fd) {
  pollfd sides[] = {{first_fd, POLLIN, 0}, {second_fd, POLLIN, 0}};
  while (sides[0].fd >= 0 || sides[1].fd >= 0) {
    if (::poll(sides, 2, -1) < 0 && errno != EINTR) return;
    if ((sides[0].revents | sides[1].revents) & (POLLERR | POLLNVAL)) return;
    if (sides[0].revents && !pass_on(first_fd, second_fd)) sides[0].fd = -1;
    if (sides[1].revents && !pass_on(second_fd, first_fd)) sides[1].fd = -1;
  }
}

}  // namespace magi::fake
