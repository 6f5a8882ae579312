// Does for a confined command what neither Landlock nor a filter can judge: changes of mode, owner and times, and
// connections to local sockets.  The call arrives through a seccomp listener; the object it names is opened here,
// checked to lie beneath a writable folder, and the change is made on that open object, so that no rename and no second
// thread of the command can swap it in between.
#pragma once

#include <string>
#include <vector>

#include "libcommon/os/fd.h"

namespace magi::confine {

class Broker {
 public:
  // `writable`: resolved folders and files.  An empty listener makes serve() do nothing.
  Broker(os::Fd listener, std::vector<std::string> writable)
      : listener_(std::move(listener)), writable_(std::move(writable)) {}

  // For poll(); -1 once the last confined process is gone.
  int fd() const { return listener_.get(); }
  // Answers one call.  Requires: fd() is readable.  Connections are made by a forked child, since they may block.
  void serve();
  // The listener has hung up.
  void close() { listener_.reset(); }

 private:
  os::Fd listener_;
  std::vector<std::string> writable_;
};

}  // namespace magi::confine
