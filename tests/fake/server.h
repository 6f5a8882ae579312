// HTTP/1.1 on 127.0.0.1: a thread a connection, keep-alive, any number of connections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "libcommon/base/result.h"
#include "tests/fake/service.h"

namespace magi::fake {

class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // `port` 0 takes a free one.  Returns the port.
  Result<std::uint16_t> listen(std::uint16_t port);
  // Takes one waiting connection and serves it on a thread of its own.  `handler` outlives the process's threads.
  void accept(Handler& handler);
  // Readable when a connection waits.
  int fd() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::fake
