#include "tools/magi-provider/auth/callback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "libcommon/base/clock.h"
#include "tools/magi-provider/auth/encoding.h"
#include "tools/magi-provider/failure.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMostVisitors = 16, kMaxHeadBytes = 16 * 1024, kMaxCodeBytes = 4096;
constexpr std::int64_t kPatienceNs = 5'000'000'000;
constexpr std::string_view kPath = "/auth/callback";

os::Fd bound(const sockaddr* address, socklen_t size, bool v6_only) {
  os::Fd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!fd) return {};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (v6_only) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(fd.get(), address, size) != 0 || ::listen(fd.get(), 16) != 0) return {};
  return fd;
}

os::Fd bound_to_v4(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bound(reinterpret_cast<const sockaddr*>(&address), sizeof address, false);
}

os::Fd bound_to_v6(std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_loopback;
  return bound(reinterpret_cast<const sockaddr*>(&address), sizeof address, true);
}

std::string page(std::string_view status, std::string_view text) {
  const std::string body =
      "<!doctype html><meta charset=\"utf-8\"><title>magi-code</title><p>" + std::string(text) + "</p>\n";
  return "HTTP/1.1 " + std::string(status) +
         "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n" + body;
}

// A few hundred bytes: they fit into the socket's buffer.
void send_page(int fd, const std::string& text) { (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL); }

}  // namespace

Result<CallbackServer> CallbackServer::listen(std::uint16_t port, std::string state) {
  CallbackServer server;
  os::Fd v4 = bound_to_v4(port);
  if (!v4) return errno_error("cannot listen on 127.0.0.1 port " + std::to_string(port), errno);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(v4.get(), reinterpret_cast<sockaddr*>(&address), &size);
  server.port_ = ntohs(address.sin_port);
  server.listeners_.push_back(std::move(v4));
  if (os::Fd v6 = bound_to_v6(server.port_)) server.listeners_.push_back(std::move(v6));
  server.state_ = std::move(state);
  return server;
}

void CallbackServer::watch(std::vector<pollfd>& watched) const {
  for (const os::Fd& listener : listeners_) watched.push_back({listener.get(), POLLIN, 0});
  for (const Visitor& visitor : visitors_) watched.push_back({visitor.fd.get(), POLLIN, 0});
}

void CallbackServer::take_visitors(int listener) {
  while (true) {
    os::Fd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    // Whoever came first and has not said a word makes room.
    if (visitors_.size() >= kMostVisitors) visitors_.erase(visitors_.begin());
    visitors_.push_back({std::move(fd), {}, monotonic_ns() + kPatienceNs});
  }
}

std::optional<Callback> CallbackServer::step() {
  for (const os::Fd& listener : listeners_) take_visitors(listener.get());
  std::optional<Callback> callback;
  std::erase_if(visitors_, [&](Visitor& visitor) {
    if (callback) return false;
    std::array<char, 4096> block;
    const ssize_t n = ::recv(visitor.fd.get(), block.data(), block.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return monotonic_ns() > visitor.deadline_ns;
    if (n <= 0) return true;
    visitor.head.append(block.data(), static_cast<std::size_t>(n));
    const auto text = page_for(visitor, callback);
    if (!text) return false;
    send_page(visitor.fd.get(), *text);
    return true;
  });
  return callback;
}

std::optional<std::string> CallbackServer::page_for(const Visitor& visitor, std::optional<Callback>& callback) const {
  const std::string_view head = visitor.head;
  if (head.find("\r\n\r\n") == std::string_view::npos) {
    if (head.size() < kMaxHeadBytes) return std::nullopt;
    return page("431 Request Header Fields Too Large", "The request is too long.");
  }
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t begin = line.find(' '), end = line.rfind(' ');
  if (begin == end || line.substr(0, begin) != "GET") return page("405 Method Not Allowed", "Only GET is served here.");
  return answer(line.substr(begin + 1, end - begin - 1), callback);
}

std::string CallbackServer::answer(std::string_view target, std::optional<Callback>& callback) const {
  const std::size_t question = std::min(target.find('?'), target.size());
  if (target.substr(0, question) != kPath) return page("404 Not Found", "There is nothing here.");
  const std::string_view query = target.substr(std::min(question + 1, target.size()));
  // Before anything else: whoever does not know the state did not come from our login.
  if (query_value(query, "state") != state_) return page("400 Bad Request", "This login was not started here.");
  if (const auto error = query_value(query, "error")) {
    const std::string why = query_value(query, "error_description").value_or(*error);
    callback = Callback{{}, redacted(one_line(why), {})};
    return page("200 OK", "The login was refused. You may close this page.");
  }
  const auto code = query_value(query, "code");
  if (!code || code->empty() || code->size() > kMaxCodeBytes)
    return page("400 Bad Request", "The login brought no code.");
  callback = Callback{*code, {}};
  return page("200 OK", "Logged in to magi-code. You may close this page.");
}

}  // namespace magi::provider
