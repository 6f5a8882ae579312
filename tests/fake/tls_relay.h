// Speaks TLS to clients and hands what they say to a server that does not: HTTPS in front of the fake provider.
#pragma once

#include <memory>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "tests/fake/service.h"

namespace magi::fake {

struct TlsOptions {
  std::string certificate_file, key_file;  // PEM; the chain, and its private key
  std::uint16_t server_port = 0;
  bool stall_handshake = false;       // the client's hello is never answered
  bool close_without_notice = false;  // the server's end is passed on as a bare FIN, as a cut connection has it
};

class TlsRelay {
 public:
  static Result<std::unique_ptr<TlsRelay>> create(TlsOptions options, Log& log);
  ~TlsRelay();
  TlsRelay(const TlsRelay&) = delete;
  TlsRelay& operator=(const TlsRelay&) = delete;

  // Serves one connection until its end; for threads of many connections at once.  Logs `tls` with the name that the
  // client asked for (`server_name`), `version` and `outcome` (`established`, or why not).
  void serve(os::Fd client) const;

 private:
  struct Context;
  TlsRelay(TlsOptions options, Log& log, std::unique_ptr<Context> context);
  void relay(void* session, int client_fd, int server_fd) const;

  TlsOptions options_;
  Log& log_;
  std::unique_ptr<Context> context_;
};

}  // namespace magi::fake
