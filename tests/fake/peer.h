// The client at the other end of a connection, as the sender of an answer sees it.
#pragma once

#include <string_view>

namespace magi::fake {

class Peer {
 public:
  virtual ~Peer() = default;
  // Blocks while the client does not read; false once it has gone.
  virtual bool write(std::string_view bytes) = 0;
  // Waits; false as soon as the client has hung up.
  virtual bool pause(double milliseconds) = 0;
  // The connection will end with a reset instead of an orderly close.
  virtual void reset_on_close() = 0;
};

// Over a connected TCP socket, which stays the caller's.
class SocketPeer : public Peer {
 public:
  explicit SocketPeer(int fd) : fd_(fd) {}
  bool write(std::string_view bytes) override;
  bool pause(double milliseconds) override;
  void reset_on_close() override;

 private:
  int fd_;
};

}  // namespace magi::fake
