// The address on this machine to which the browser brings the code of a login.  Plain HTTP, on the loopback interface
// alone, for one path; whoever else connects gets an error page and nothing more.  Never waits.
#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::provider {

// What came to the callback's path: a code, or why there is none.
struct Callback {
  std::string code;
  std::string refusal;  // of the account service, one line; empty: none
};

class CallbackServer {
 public:
  // On 127.0.0.1 and, where there is one, on ::1, since a browser may take "localhost" for either.  kIo where `port` is
  // taken; 0 takes a free one.
  static Result<CallbackServer> listen(std::uint16_t port, std::string state);

  std::uint16_t port() const { return port_; }
  std::string redirect_uri() const { return "http://localhost:" + std::to_string(port_) + "/auth/callback"; }

  // For poll(2).
  void watch(std::vector<pollfd>& watched) const;
  // Takes what has come.  A request with another state than ours is refused and gives nothing.
  std::optional<Callback> step();

 private:
  struct Visitor {
    os::Fd fd;
    std::string head;
    std::int64_t deadline_ns = 0;
  };
  void take_visitors(int listener);
  // Nothing while the request is incomplete.
  std::optional<std::string> page_for(const Visitor& visitor, std::optional<Callback>& callback) const;
  std::string answer(std::string_view target, std::optional<Callback>& callback) const;

  std::vector<os::Fd> listeners_;
  std::uint16_t port_ = 0;
  std::string state_;
  std::vector<Visitor> visitors_;
};

}  // namespace magi::provider
