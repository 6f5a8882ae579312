#include "tests/fake/proxy.h"

#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>

#include "libcommon/json/writer.h"
#include "tests/fake/codec.h"
#include "tests/fake/sockets.h"

namespace magi::fake {
namespace {

constexpr std::size_t kMaxHeadBytes = 256 * 1024;

bool begins_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && ::strncasecmp(text.data(), prefix.data(), prefix.size()) == 0;
}

struct Head {
  std::string method, target, version, fields;  // `fields`: the header lines, proxy's own left out, CRLF after each
  std::string credentials;                      // of Proxy-Authorization
  std::string rest;                             // what came behind the head
};

std::optional<std::string> read_head(int fd) {
  std::string bytes;
  std::array<char, 16 * 1024> block;
  while (bytes.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::recv(fd, block.data(), block.size(), 0);
    if (n <= 0 || bytes.size() > kMaxHeadBytes) return std::nullopt;
    bytes.append(block.data(), static_cast<std::size_t>(n));
  }
  return bytes;
}

std::optional<Head> parse_head(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::size_t line_end = bytes.find("\r\n");
  const std::string_view line = bytes.substr(0, line_end);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  Head head;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  head.version = line.substr(last + 1);
  head.rest = bytes.substr(end + 4);
  for (std::size_t at = line_end + 2; at < end + 2;) {
    const std::size_t stop = bytes.find("\r\n", at);
    const std::string_view field = bytes.substr(at, stop - at);
    at = stop + 2;
    const bool is_own = begins_ignoring_case(field, "proxy-");
    if (!is_own) head.fields.append(field).append("\r\n");
    constexpr std::string_view kCredentials = "proxy-authorization:";
    if (begins_ignoring_case(field, kCredentials))
      head.credentials = field.substr(std::min(field.size(), kCredentials.size() + 1));
  }
  return head;
}

std::string path_of_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t path = url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3);
  return path == std::string_view::npos ? "/" : std::string(url.substr(path));
}

}  // namespace

int Proxy::status_for(std::string_view credentials) const {
  if (options_.refusal_status != 0) return options_.refusal_status;
  const bool right = options_.credentials.empty() || credentials == "Basic " + base64(options_.credentials);
  return right ? 200 : 407;
}

void Proxy::serve(os::Fd client) const {
  const auto bytes = read_head(client.get());
  const auto head = bytes ? parse_head(*bytes) : std::nullopt;
  if (!head) return;
  const int status = status_for(head->credentials);
  std::string line;
  json::Writer out(line);
  out.begin_object().key("ev").string("proxy").key("method").string(head->method).key("target").string(head->target);
  out.key("credentials").string(head->credentials.empty() ? "none" : status == 407 ? "wrong" : "right");
  out.key("status").integer(options_.stall ? 0 : status).end_object();
  log_.line(std::move(line));
  if (options_.stall) {
    std::array<char, 4096> ignored;
    while (::recv(client.get(), ignored.data(), ignored.size(), 0) > 0) continue;
    return;
  }
  if (status != 200) {
    const std::string_view challenge = status == 407 ? "Proxy-Authenticate: Basic realm=\"fake\"\r\n" : "";
    send_all(client.get(),
             "HTTP/1.1 " + std::to_string(status) + " Refused\r\n" + std::string(challenge) +
                 "Content-Type: text/html\r\nContent-Length: 14\r\nConnection: close\r\n\r\n<p>refused</p>");
    return;
  }
  const os::Fd server = connect_to(options_.server_port);
  const bool tunnel = head->method == "CONNECT";
  if (!server) {
    send_all(client.get(), "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  if (tunnel) send_all(client.get(), "HTTP/1.1 200 Connection established\r\n\r\n");
  const std::string opening = tunnel ? head->rest
                                     : head->method + ' ' + path_of_url(head->target) + ' ' + head->version + "\r\n" +
                                           head->fields + "\r\n" + head->rest;
  // A plain connection stays with its first server: later requests on it still name the whole URL, which HTTP/1.1
  // servers take as well.
  if (send_all(server.get(), opening)) relay(client.get(), server.get());
}

}  // namespace magi::fake
