// An HTTP proxy: CONNECT tunnels, and plain requests with a whole URL.  Whatever host a client names, it is taken to
// one port of this machine, so that tests may use names that no resolver knows.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/os/fd.h"
#include "tests/fake/service.h"

namespace magi::fake {

struct ProxyOptions {
  std::uint16_t server_port = 0;
  std::string credentials;  // "user:password" that it wants; empty: none
  int refusal_status = 0;   // every request is answered by this; 0: served
  bool stall = false;       // requests are read and never answered
};

class Proxy {
 public:
  Proxy(ProxyOptions options, Log& log) : options_(std::move(options)), log_(log) {}

  // Serves one connection until its end; for threads of many connections at once.  Logs `proxy` with `method`,
  // `target`, `credentials` (`none`, `right`, `wrong`) and `status`.
  void serve(os::Fd client) const;

 private:
  int status_for(std::string_view credentials) const;

  ProxyOptions options_;
  Log& log_;
};

}  // namespace magi::fake
