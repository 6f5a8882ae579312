// The only file that includes Boost.Beast.  Requests are read by it; responses are written byte by byte elsewhere,
// because no HTTP library sends broken ones.
#include "tests/fake/server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <limits>
#include <thread>

#include "libcommon/base/clock.h"

namespace magi::fake {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using Fields = http::request_parser<http::string_body>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

// curl asks before it sends a large body.
void agree_to_continue(tcp::socket& socket, const Fields& parser) {
  boost::system::error_code error;
  if (lower(parser.get()[http::field::expect]) == "100-continue")
    asio::write(socket, asio::buffer(std::string_view("HTTP/1.1 100 Continue\r\n\r\n")), error);
}

// False at the end of the connection.
bool read_request(tcp::socket& socket, boost::beast::flat_buffer& buffer, Request& request, bool& keep_alive) {
  boost::system::error_code error;
  Fields parser;
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  parser.header_limit(256 * 1024);
  http::read_header(socket, buffer, parser, error);
  if (error) return false;
  request.head_ns = monotonic_ns();
  agree_to_continue(socket, parser);
  http::read(socket, buffer, parser, error);
  if (error) return false;
  request.body_ns = monotonic_ns();
  keep_alive = parser.get().keep_alive();
  request.method = std::string(parser.get().method_string());
  request.target = std::string(parser.get().target());
  for (const auto& field : parser.get())
    request.headers.emplace_back(lower(field.name_string()), std::string(field.value()));
  request.body = std::move(parser.get().body());
  return true;
}

void serve(tcp::socket socket, Handler& handler, std::uint64_t connection) {
  boost::system::error_code error;
  socket.set_option(tcp::no_delay(true), error);
  boost::beast::flat_buffer buffer;
  SocketPeer peer(socket.native_handle());
  bool keep_alive = true;
  while (keep_alive) {
    Request request;
    request.connection = connection;
    if (!read_request(socket, buffer, request, keep_alive)) return;
    if (!handler.answer(request, peer)) return;
  }
}

}  // namespace

struct Server::Impl {
  asio::io_context context;
  tcp::acceptor acceptor{context};
  std::uint64_t connections = 0;
};

Server::Server() : impl_(std::make_unique<Impl>()) {}
Server::~Server() = default;

int Server::fd() const { return impl_->acceptor.native_handle(); }

Result<std::uint16_t> Server::listen(std::uint16_t port) {
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  tcp::acceptor& acceptor = impl_->acceptor;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(128, error);
  if (error) return make_error(ErrorCode::kIo, "cannot listen on 127.0.0.1: ", error.message());
  return acceptor.local_endpoint().port();
}

void Server::accept(Handler& handler) {
  boost::system::error_code error;
  tcp::socket socket(impl_->context);
  impl_->acceptor.accept(socket, error);
  if (error) return;
  std::thread(serve, std::move(socket), std::ref(handler), ++impl_->connections).detach();
}

}  // namespace magi::fake
