#include "tests/fake/tls_relay.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "libcommon/json/writer.h"
#include "tests/fake/sockets.h"

namespace magi::fake {
namespace {

struct Session {
  explicit Session(SSL* ssl) : ssl(ssl) {}
  ~Session() { SSL_free(ssl); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  SSL* ssl;
};

std::string last_reason() {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  return reason ? reason : "the connection ended";
}

// Only HTTP/1.1 is behind it; who offers nothing else gets no protocol.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, out_size, kHttp11, 9, offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// Waits until `ssl` can go on with what it could not finish; false where it never will.
bool wait_for(SSL* ssl, int result, int fd) {
  const int why = SSL_get_error(ssl, result);
  if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return false;
  pollfd state{fd, static_cast<short>(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT), 0};
  return ::poll(&state, 1, -1) > 0;
}

bool write_all(SSL* ssl, int fd, const char* bytes, std::size_t size) {
  int result = 0;
  while ((result = SSL_write(ssl, bytes, static_cast<int>(size))) <= 0)
    if (!wait_for(ssl, result, fd)) return false;
  return true;
}

// All that the client has sent so far.  False once it has ended.
bool pass_to_server(SSL* ssl, int server_fd) {
  std::array<char, 16 * 1024> block;
  int n = 0;
  while ((n = SSL_read(ssl, block.data(), block.size())) > 0)
    if (!send_all(server_fd, {block.data(), static_cast<std::size_t>(n)})) return false;
  return SSL_get_error(ssl, n) == SSL_ERROR_WANT_READ;
}

void reset_on_close(int fd) {
  const linger now{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace

struct TlsRelay::Context {
  SSL_CTX* ssl = nullptr;
  ~Context() { SSL_CTX_free(ssl); }
};

TlsRelay::TlsRelay(TlsOptions options, Log& log, std::unique_ptr<Context> context)
    : options_(std::move(options)), log_(log), context_(std::move(context)) {}
TlsRelay::~TlsRelay() = default;

Result<std::unique_ptr<TlsRelay>> TlsRelay::create(TlsOptions options, Log& log) {
  auto context = std::make_unique<Context>();
  context->ssl = SSL_CTX_new(TLS_server_method());
  if (!context->ssl || SSL_CTX_use_certificate_chain_file(context->ssl, options.certificate_file.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context->ssl, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return make_error(ErrorCode::kConfig, "cannot use the certificate: ", last_reason());
  SSL_CTX_set_alpn_select_cb(context->ssl, choose_protocol, nullptr);
  return std::unique_ptr<TlsRelay>(new TlsRelay(std::move(options), log, std::move(context)));
}

void TlsRelay::serve(os::Fd client) const {
  if (options_.stall_handshake) {
    log_.line("{\"ev\":\"tls\",\"outcome\":\"stalled\"}");
    std::array<char, 4096> ignored;
    while (::recv(client.get(), ignored.data(), ignored.size(), 0) > 0) continue;
    log_.line("{\"ev\":\"tls\",\"outcome\":\"client left\"}");
    return;
  }
  Session session(SSL_new(context_->ssl));
  SSL_set_fd(session.ssl, client.get());
  ERR_clear_error();
  const bool established = SSL_accept(session.ssl) == 1;
  std::string line;
  json::Writer out(line);
  const char* name = SSL_get_servername(session.ssl, TLSEXT_NAMETYPE_host_name);
  out.begin_object().key("ev").string("tls").key("server_name").string(name ? name : "");
  out.key("version").string(SSL_get_version(session.ssl));
  out.key("outcome").string(established ? "established" : last_reason()).end_object();
  log_.line(std::move(line));
  if (!established) return;
  const os::Fd server = connect_to(options_.server_port);
  if (server) relay(session.ssl, client.get(), server.get());
}

void TlsRelay::relay(void* session, int client_fd, int server_fd) const {
  SSL* ssl = static_cast<SSL*>(session);
  if (!os::set_nonblocking(client_fd, true)) return;
  pollfd sides[] = {{client_fd, POLLIN, 0}, {server_fd, POLLIN, 0}};
  std::array<char, 16 * 1024> block;
  while (::poll(sides, 2, -1) > 0 || errno == EINTR) {
    if (sides[0].revents && !pass_to_server(ssl, server_fd)) return;
    if (!sides[1].revents) continue;
    const ssize_t n = ::recv(server_fd, block.data(), block.size(), 0);
    if (n > 0 && write_all(ssl, client_fd, block.data(), static_cast<std::size_t>(n))) continue;
    if (n < 0) reset_on_close(client_fd);
    if (n == 0 && !options_.close_without_notice) SSL_shutdown(ssl);
    return;
  }
}

}  // namespace magi::fake
