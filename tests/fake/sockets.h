// TCP on this machine alone, blocking: what stands in front of a fake server needs no more.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::fake {

struct Listening {
  os::Fd fd;
  std::uint16_t port = 0;
};

// `address`: 127.0.0.1 or ::1.  `port` 0 takes a free one.
Result<Listening> listen_on(const std::string& address, std::uint16_t port);

// The next waiting connection; none where there is none.
os::Fd accept_connection(int listener_fd);

// To 127.0.0.1; none where nobody listens.
os::Fd connect_to(std::uint16_t port);

// Blocks; false once the other side is gone.
bool send_all(int fd, std::string_view bytes);

// Copies in both directions until both sides have ended or one is gone.  An end of one side alone is passed on.
void relay(int first_fd, int second_fd);

}  // namespace magi::fake
